-- Turn a staged upload into a test set, or find the one that has the same content already.
-- KEYS: staging, head, queries, index, contents, versions, name, idempotency
-- ARGV: id, name, content hash, draft, created, idempotency token
local verdict, made = recall(KEYS[8], ARGV[6])
if verdict then
  redis.call('UNLINK', KEYS[1])
  return {verdict, made}
end
local field = ARGV[2] .. '\0' .. ARGV[3]
local known = redis.call('HGET', KEYS[5], field)
if known then
  redis.call('UNLINK', KEYS[1])
  remember(KEYS[8], ARGV[6], known)
  return {'known', known}
end
local version = redis.call('HINCRBY', KEYS[6], ARGV[2], 1)
local now = redis.call('TIME')
redis.call('RENAME', KEYS[1], KEYS[3])
redis.call('PERSIST', KEYS[3])
redis.call('HSET', KEYS[2], 'draft', ARGV[4], 'version', version, 'created', ARGV[5])
redis.call('ZADD', KEYS[4], now[1] * 1000000 + now[2], ARGV[1])
redis.call('ZADD', KEYS[7], version, ARGV[1])
redis.call('HSET', KEYS[5], field, ARGV[1])
remember(KEYS[8], ARGV[6], ARGV[1])
return {'created', ARGV[1]}
