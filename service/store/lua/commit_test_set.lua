-- Turn a staged upload into a test set, or find the one that has the same content already.
-- KEYS: staging, head, queries, index, contents, versions, name, sizes, tenants, idempotency
-- ARGV: id, name, content hash, draft, created, bytes, tenant, limits of the team, idempotency token
-- uses: sizes, quotas, idempotency
local verdict, made = recall(KEYS[10], ARGV[9])
if verdict then
  redis.call('UNLINK', KEYS[1])
  return {verdict, made}
end
local field = ARGV[2] .. '\0' .. ARGV[3]
local known = redis.call('HGET', KEYS[5], field)
if known then
  redis.call('UNLINK', KEYS[1])
  remember(KEYS[10], ARGV[9], known)
  return {'known', known}
end
local now = redis.call('TIME')
local limits = quotas.limits(ARGV[7], ARGV[8])
local _, to_come = quotas.waiting(ARGV[7], now[1] * 1000)
local refused = quotas.refuse(limits, 'test_sets', redis.call('ZCARD', KEYS[4]), 1)
  or quotas.refuse(limits, 'stored_bytes', sizes.total(KEYS[8]) + to_come, tonumber(ARGV[6]))
if refused then
  redis.call('UNLINK', KEYS[1])
  return refused
end
local version = redis.call('HINCRBY', KEYS[6], ARGV[2], 1)
redis.call('RENAME', KEYS[1], KEYS[3])
redis.call('PERSIST', KEYS[3])
redis.call('HSET', KEYS[2], 'draft', ARGV[4], 'version', version, 'created', ARGV[5],
  'bytes', ARGV[6])
redis.call('ZADD', KEYS[4], now[1] * 1000000 + now[2], ARGV[1])
redis.call('ZADD', KEYS[7], version, ARGV[1])
redis.call('HSET', KEYS[5], field, ARGV[1])
sizes.put(KEYS[8], ARGV[1], ARGV[6])
redis.call('SADD', KEYS[9], ARGV[7])
remember(KEYS[10], ARGV[9], ARGV[1])
return {'created', ARGV[1]}
