-- Write a run's record, its secrets and its idempotency entry together, or replay an earlier one.
-- KEYS: run, runs index, active jobs, test set head, test set runs, secrets, idempotency, rankings,
--   units, tenants with jobs
-- ARGV: id, queue/tenant, spec, sealed secrets, fingerprint, seconds the entry lives, queue, schema,
--   workers at most (0: any number), 1 if it is small, limits of the team, requests it will send,
--   bytes it may come to keep
-- uses: sizes, quotas
if ARGV[5] ~= '' then
  local known = redis.call('GET', KEYS[7])
  if known then
    local split = string.find(known, ' ', 1, true)
    if string.sub(known, 1, split - 1) ~= ARGV[5] then
      return {'mismatch', ''}
    end
    return {'replay', string.sub(known, split + 1)}
  end
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'created', ARGV[1]}
end
if redis.call('EXISTS', KEYS[4]) == 0 then
  return {'no_test_set', ''}
end
local now = redis.call('TIME')
local micros = now[1] * 1000000 + now[2]
local tenant = string.match(ARGV[2], '/(.*)$')
local limits = quotas.limits(tenant, ARGV[11])
local waiting, to_come = quotas.waiting(tenant, math.floor(micros / 1000))
local stored = sizes.total('t:' .. tenant .. ':sizes')
local spent = quotas.spent(tenant, 'queries_per_day', now[1])
local refused = quotas.refuse(limits, 'queued_runs', waiting, 1)
  or quotas.refuse(limits, 'queries_per_day', spent, tonumber(ARGV[12]))
  or quotas.refuse(limits, 'stored_bytes', stored + to_come, tonumber(ARGV[13]))
if refused then
  return refused
end
if limits.queries_per_day then
  quotas.spend(tenant, 'queries_per_day', ARGV[12], now[1])
end
redis.call('HSET', KEYS[1], 'spec', ARGV[3], 'status', 'queued',
  'created_ms', string.format('%.0f', math.floor(micros / 1000)),
  'epoch', 0, 'attempts', 0, 'crash_count', 0, 'total', 0, 'done', 0, 'failed', 0, 'cancel', 0,
  'queue', ARGV[7], 'schema', ARGV[8], 'workers', ARGV[9], 'small', ARGV[10], 'to_keep', ARGV[13],
  'at_once', ARGV[7] == 'runs' and limits.concurrent_runs or 0)
redis.call('ZADD', KEYS[9], 0, 'plan')
redis.call('ZADD', KEYS[2], micros, ARGV[1])
redis.call('ZADD', KEYS[3], micros, ARGV[1])
redis.call('SADD', KEYS[10], ARGV[2])
redis.call('ZADD', KEYS[5], micros, ARGV[1])
if ARGV[4] ~= '' then
  redis.call('SET', KEYS[6], ARGV[4])
end
redis.call('PERSIST', KEYS[8])
if ARGV[5] ~= '' then
  redis.call('SET', KEYS[7], ARGV[5] .. ' ' .. ARGV[1], 'EX', ARGV[6])
end
return {'created', ARGV[1]}
