-- Write a saved endpoint, new or changed, under a name that nobody else has.
-- KEYS: endpoint, index, names, idempotency
-- ARGV: id, name, description, endpoint, sealed secrets, 1 if new, version it must have (0: any),
--   idempotency token
-- uses: idempotency
local verdict, made = recall(KEYS[4], ARGV[8])
if verdict then
  return {verdict, made}
end
local holder = redis.call('HGET', KEYS[3], ARGV[2])
if holder and holder ~= ARGV[1] then
  return {'taken', ''}
end
local before = redis.call('HGET', KEYS[1], 'name')
if not before and ARGV[6] ~= '1' then
  return {'missing', ''}
end
if ARGV[7] ~= '0' and redis.call('HGET', KEYS[1], 'version') ~= ARGV[7] then
  return {'changed', ''}
end
local now = redis.call('TIME')
local ms = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000))
if before and before ~= ARGV[2] then
  redis.call('HDEL', KEYS[3], before)
end
redis.call('HSET', KEYS[1], 'name', ARGV[2], 'description', ARGV[3], 'endpoint', ARGV[4],
  'secrets', ARGV[5], 'updated_ms', ms)
redis.call('HSETNX', KEYS[1], 'created_ms', ms)
redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('ZADD', KEYS[2], 'NX', now[1] * 1000000 + now[2], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[2], ARGV[1])
remember(KEYS[4], ARGV[8], ARGV[1])
return {'stored', ARGV[1]}
