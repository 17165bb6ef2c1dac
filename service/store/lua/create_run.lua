-- Write a run's record, its secrets and its idempotency entry together, or replay an earlier one.
-- KEYS: run, runs index, active jobs, test set head, test set runs, secrets, idempotency, rankings,
--   units, tenants with jobs
-- ARGV: id, queue/tenant, spec, sealed secrets, fingerprint, seconds the entry lives, queue, schema,
--   workers at most (0: any number), 1 if it is small
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
redis.call('HSET', KEYS[1], 'spec', ARGV[3], 'status', 'queued',
  'created_ms', string.format('%.0f', math.floor(micros / 1000)),
  'epoch', 0, 'attempts', 0, 'crash_count', 0, 'total', 0, 'done', 0, 'failed', 0, 'cancel', 0,
  'queue', ARGV[7], 'schema', ARGV[8], 'workers', ARGV[9], 'small', ARGV[10])
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
