-- Delete a judging that no job is at work on, with all its votes.
-- KEYS: judging, index, sizes, then its parts    ARGV: id, what its jobs' keys begin with
-- uses: sizes
local state, job = unpack(redis.call('HMGET', KEYS[1], 'state', 'job'))
if not state then
  return 'missing'
end
local status = job and redis.call('HGET', ARGV[2] .. job, 'status')
if status == 'queued' or status == 'running' then
  return 'busy'
end
redis.call('UNLINK', KEYS[1], unpack(KEYS, 4))
redis.call('ZREM', KEYS[2], ARGV[1])
sizes.drop(KEYS[3], ARGV[1])
return 'deleted'
