-- Write a comparison's record, or find the one with the same content that has not failed.
-- KEYS: comparison, active jobs, contents, units, tenants with jobs, times, idempotency
-- ARGV: id, queue/tenant, spec, content, queue, start of a comparison's key, schema,
--   idempotency token
-- uses: idempotency
local verdict, made = recall(KEYS[7], ARGV[8])
if verdict then
  return {verdict, made}
end
local known = redis.call('HGET', KEYS[3], ARGV[4])
if known then
  local status = redis.call('HGET', ARGV[6] .. known, 'status')
  if status and status ~= 'failed' then
    remember(KEYS[7], ARGV[8], known)
    return {'known', known}
  end
end
local now = redis.call('TIME')
local micros = now[1] * 1000000 + now[2]
redis.call('HSET', KEYS[1], 'spec', ARGV[3], 'content', ARGV[4], 'status', 'queued', 'queue', ARGV[5],
  'created_ms', string.format('%.0f', math.floor(micros / 1000)),
  'epoch', 0, 'attempts', 0, 'crash_count', 0, 'cancel', 0, 'schema', ARGV[7], 'small', 1)
redis.call('ZADD', KEYS[4], 0, 'job')
redis.call('ZADD', KEYS[2], micros, ARGV[1])
redis.call('SADD', KEYS[5], ARGV[2])
redis.call('ZADD', KEYS[6], micros, ARGV[1])
redis.call('HSET', KEYS[3], ARGV[4], ARGV[1])
remember(KEYS[7], ARGV[8], ARGV[1])
return {'created', ARGV[1]}
