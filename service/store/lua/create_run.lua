-- Write a run's record, its secrets and its idempotency entry together, or answer an earlier one.
-- KEYS: run, runs index, active jobs, test set head, test set runs, secrets, idempotency, rankings,
--   units, tenants with jobs
-- ARGV: id, queue/tenant, spec, sealed secrets, idempotency token, queue, schema,
--   workers at most (0: any number), 1 if it is small
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
redis.call('HSET', KEYS[1], 'spec', ARGV[3], 'status', 'queued',
  'created_ms', string.format('%.0f', math.floor(micros / 1000)),
  'epoch', 0, 'attempts', 0, 'crash_count', 0, 'total', 0, 'done', 0, 'failed', 0, 'cancel', 0,
  'queue', ARGV[6], 'schema', ARGV[7], 'workers', ARGV[8], 'small', ARGV[9])
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
