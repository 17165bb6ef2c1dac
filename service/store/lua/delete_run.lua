-- Delete a run that has ended, with all its parts.
-- KEYS: run, runs index, test set runs, sizes, then the parts    ARGV: id
-- uses: sizes
local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  return 'missing'
end
if status == 'queued' or status == 'running' or status == 'finalising' then
  return 'active'
end
redis.call('UNLINK', KEYS[1], unpack(KEYS, 5))
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
sizes.drop(KEYS[4], ARGV[1])
return 'deleted'
