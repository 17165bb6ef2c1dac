-- Write a run's record, its secrets and its idempotency entry together, or answer an earlier one.
-- KEYS: run, runs index, active jobs, test set head, test set runs, secrets, idempotency, rankings,
--   units, tenants with jobs
-- ARGV: id, queue/tenant, spec, sealed secrets, idempotency token, queue, schema,
--   workers at most (0: any number), 1 if it is small, limits of the team, requests it will send,
--   bytes it may come to keep
-- uses: sizes, quotas, idempotency
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'created', ARGV[1]}
end
local verdict, made = recall(KEYS[7], ARGV[5])
if verdict then
  return {verdict, made}
end
if redis.call('EXISTS', KEYS[4]) == 0 then
  return {'no_test_set', ''}
end
local now = redis.call('TIME')
local micros = now[1] * 1000000 + now[2]
local tenant = string.match(ARGV[2], '/(.*)$')
local limits = quotas.limits(tenant, ARGV[10])
local waiting, to_come = quotas.waiting(tenant, math.floor(micros / 1000))
local stored = sizes.total('t:' .. tenant .. ':sizes')
local spent = quotas.spent(tenant, 'queries_per_day', now[1])
local refused = quotas.refuse(limits, 'queued_runs', waiting, 1)
  or quotas.refuse(limits, 'queries_per_day', spent, tonumber(ARGV[11]))
  or quotas.refuse(limits, 'stored_bytes', stored + to_come, tonumber(ARGV[12]))
if refused then
  return refused
end
if limits.queries_per_day then
  quotas.spend(tenant, 'queries_per_day', ARGV[11], now[1])
end
redis.call('HSET', KEYS[1], 'spec', ARGV[3], 'status', 'queued',
  'created_ms', string.format('%.0f', math.floor(micros / 1000)),
  'epoch', 0, 'attempts', 0, 'crash_count', 0, 'total', 0, 'done', 0, 'failed', 0, 'cancel', 0,
  'queue', ARGV[6], 'schema', ARGV[7], 'workers', ARGV[8], 'small', ARGV[9], 'to_keep', ARGV[12],
  'at_once', ARGV[6] == 'runs' and limits.concurrent_runs or 0)
redis.call('ZADD', KEYS[9], 0, 'plan')
redis.call('ZADD', KEYS[2], micros, ARGV[1])
redis.call('ZADD', KEYS[3], micros, ARGV[1])
redis.call('SADD', KEYS[10], ARGV[2])
redis.call('ZADD', KEYS[5], micros, ARGV[1])
if ARGV[4] ~= '' then
  redis.call('SET', KEYS[6], ARGV[4])
end
redis.call('PERSIST', KEYS[8])
remember(KEYS[7], ARGV[5], ARGV[1])
return {'created', ARGV[1]}
