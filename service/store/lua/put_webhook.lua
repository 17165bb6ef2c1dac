-- Write a webhook, new or changed.
-- KEYS: webhook, index, idempotency
-- ARGV: id, webhooks a tenant may have (0: it is not new), idempotency token, what it makes under that,
--   then field and value in turn
-- uses: webhooks, idempotency
local verdict, made = recall(KEYS[3], ARGV[3])
if verdict then
  return made == ARGV[4] and 'stored' or verdict
end
local now = redis.call('TIME')
local micros = now[1] * 1000000 + now[2]
local ms = string.format('%.0f', math.floor(micros / 1000))
local known = redis.call('EXISTS', KEYS[1]) == 1
if ARGV[2] == '0' and not known then
  return 'missing'
end
if not known and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[2]) then
  return 'full'
end
redis.call('HSET', KEYS[1], 'updated_ms', ms, unpack(ARGV, 5))
redis.call('HSETNX', KEYS[1], 'created_ms', ms)
redis.call('ZADD', KEYS[2], 'NX', string.format('%.0f', micros), ARGV[1])
arrange(KEYS[1], tonumber(ms))
remember(KEYS[3], ARGV[3], ARGV[4])
return 'stored'
