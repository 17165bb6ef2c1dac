-- Write a short job's record and its secrets, to be kept for a while.
-- KEYS: job, active jobs, secrets, units, tenants with jobs, idempotency
-- ARGV: id, queue/tenant, spec, sealed secrets, queue, seconds to keep, schema, idempotency token,
--   limits of the team, requests it will send
-- uses: quotas, idempotency
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'created', ARGV[1]}
end
local verdict, made = recall(KEYS[6], ARGV[8])
if verdict then
  return {verdict, made}
end
local now = redis.call('TIME')
local tenant = string.match(ARGV[2], '/(.*)$')
local spent = quotas.spent(tenant, 'queries_per_day', now[1])
local limits = quotas.limits(tenant, ARGV[9])
local refused = quotas.refuse(limits, 'queries_per_day', spent, tonumber(ARGV[10]))
if refused then
  return refused
end
if limits.queries_per_day then
  quotas.spend(tenant, 'queries_per_day', ARGV[10], now[1])
end
local micros = now[1] * 1000000 + now[2]
redis.call('HSET', KEYS[1], 'spec', ARGV[3], 'status', 'queued', 'queue', ARGV[5],
  'created_ms', string.format('%.0f', math.floor(micros / 1000)),
  'epoch', 0, 'attempts', 0, 'crash_count', 0, 'cancel', 0, 'schema', ARGV[7], 'small', 1)
redis.call('EXPIRE', KEYS[1], ARGV[6])
redis.call('ZADD', KEYS[4], 0, 'job')
redis.call('EXPIRE', KEYS[4], ARGV[6])
redis.call('ZADD', KEYS[2], micros, ARGV[1])
redis.call('SADD', KEYS[5], ARGV[2])
if ARGV[4] ~= '' then
  redis.call('SET', KEYS[3], ARGV[4], 'EX', ARGV[6])
end
remember(KEYS[6], ARGV[8], ARGV[1])
return {'created', ARGV[1]}
