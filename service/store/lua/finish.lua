-- End a job once: the report and the status appear together, the working state goes.
-- A job that is not kept for ever takes its report along.
-- KEYS: run, report, outcomes, secrets, active set, sizes, sizes of what is kept briefly,
--   rankings
-- ARGV: epoch, status, report, etag, error, active member, outcomes there must be (-1: any),
--   id, bytes stored apart from the report
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then
  return 'lost'
end
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'queued' and status ~= 'running' and status ~= 'finalising' then
  return 'lost'
end
if tonumber(ARGV[7]) >= 0 and redis.call('HLEN', KEYS[3]) ~= tonumber(ARGV[7]) then
  return 'miscounted'
end
local now = redis.call('TIME')
redis.call('SET', KEYS[2], ARGV[3])
local left = redis.call('PTTL', KEYS[1])
local bytes = ARGV[9] + #ARGV[3]
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
if left > 0 then
  redis.call('PEXPIRE', KEYS[2], left)
  redis.call('ZREMRANGEBYSCORE', KEYS[7], '-inf', string.format('%.0f', ms))
  redis.call('ZADD', KEYS[7], string.format('%.0f', ms + left), ARGV[8] .. ' ' .. bytes)
  redis.call('PEXPIRE', KEYS[7], math.max(left, redis.call('PTTL', KEYS[7])))
else
  redis.call('HSET', KEYS[6], ARGV[8], bytes)
end
redis.call('HSET', KEYS[1], 'status', ARGV[2], 'etag', ARGV[4], 'lease_until', 0, 'bytes', bytes,
  'finished_ms', string.format('%.0f', ms))
if ARGV[5] ~= '' then
  redis.call('HSET', KEYS[1], 'error', ARGV[5])
end
redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[8])
redis.call('ZREM', KEYS[5], ARGV[6])
return 'finished'
