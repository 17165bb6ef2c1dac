-- End a job once: the report and the status appear together, the working state goes, webhooks are told.
-- A job that is not kept for ever takes its report along.
-- KEYS: job, units, holds, leases of the tenant, report, active jobs, tenants with jobs, sizes,
--   sizes of what is kept briefly, counters, then working parts to drop
-- ARGV: unit (empty: by an operator, whoever holds what), fence, job id, status, report, etag, error,
--   queue/tenant, bytes beside the report
-- uses: sizes, webhooks
if ARGV[1] == '' then
  local status = redis.call('HGET', KEYS[1], 'status')
  if status ~= 'queued' and status ~= 'running' and status ~= 'finalising' then
    return 'lost'
  end
elseif not redis.call('ZSCORE', KEYS[2], ARGV[1])
  or redis.call('HGET', KEYS[3], 'fence:' .. ARGV[1]) ~= ARGV[2] then
  return 'lost'
end
local now = redis.call('TIME')
announce(KEYS[1], ARGV[4], now[1] * 1000000 + now[2])
redis.call('SET', KEYS[5], ARGV[5])
local left = redis.call('PTTL', KEYS[1])
local bytes = ARGV[9] + #ARGV[5]
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
if left > 0 then
  redis.call('PEXPIRE', KEYS[5], left)
  redis.call('ZREMRANGEBYSCORE', KEYS[9], '-inf', string.format('%.0f', ms))
  redis.call('ZADD', KEYS[9], string.format('%.0f', ms + left), ARGV[3] .. ' ' .. bytes)
  redis.call('PEXPIRE', KEYS[9], math.max(left, redis.call('PTTL', KEYS[9])))
else
  sizes.put(KEYS[8], ARGV[3], bytes)
end
redis.call('HSET', KEYS[1], 'status', ARGV[4], 'etag', ARGV[6], 'bytes', bytes,
  'finished_ms', string.format('%.0f', ms))
if ARGV[7] ~= '' then
  redis.call('HSET', KEYS[1], 'error', ARGV[7])
end
for _, unit in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  redis.call('ZREM', KEYS[4], ARGV[3] .. '/' .. unit)
end
redis.call('UNLINK', KEYS[2], KEYS[3], unpack(KEYS, 11))
redis.call('HINCRBY', KEYS[10],
  'jobs_ended ' .. string.match(ARGV[3], '^[^_]*') .. '/' .. ARGV[4] .. ' ', 1)
redis.call('ZREM', KEYS[6], ARGV[3])
if redis.call('ZCARD', KEYS[6]) == 0 then
  redis.call('SREM', KEYS[7], ARGV[8])
end
return 'finished'
