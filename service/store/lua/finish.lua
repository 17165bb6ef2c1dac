-- End a job once: the report and the status appear together, the working state goes, webhooks are told.
-- A job that is not kept for ever takes its report along.
-- KEYS: job, units, holds, leases of the tenant, report, active jobs, tenants with jobs,
--   then working parts to drop
-- ARGV: unit, fence, job id, status, report, etag, error, queue/tenant
if not redis.call('ZSCORE', KEYS[2], ARGV[1])
  or redis.call('HGET', KEYS[3], 'fence:' .. ARGV[1]) ~= ARGV[2] then
  return 'lost'
end
local now = redis.call('TIME')
announce(KEYS[1], ARGV[4], now[1] * 1000000 + now[2])
redis.call('SET', KEYS[5], ARGV[5])
local left = redis.call('PTTL', KEYS[1])
if left > 0 then
  redis.call('PEXPIRE', KEYS[5], left)
end
redis.call('HSET', KEYS[1], 'status', ARGV[4], 'etag', ARGV[6],
  'finished_ms', string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)))
if ARGV[7] ~= '' then
  redis.call('HSET', KEYS[1], 'error', ARGV[7])
end
for _, unit in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  redis.call('ZREM', KEYS[4], ARGV[3] .. '/' .. unit)
end
redis.call('UNLINK', KEYS[2], KEYS[3], unpack(KEYS, 8))
redis.call('ZREM', KEYS[6], ARGV[3])
if redis.call('ZCARD', KEYS[6]) == 0 then
  redis.call('SREM', KEYS[7], ARGV[8])
end
return 'finished'
