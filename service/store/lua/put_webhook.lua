-- Write a webhook, new or changed.
-- KEYS: webhook, index    ARGV: id, webhooks a tenant may have (0: it is not new), then field and value in turn
-- uses: webhooks
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
redis.call('HSET', KEYS[1], 'updated_ms', ms, unpack(ARGV, 3))
redis.call('HSETNX', KEYS[1], 'created_ms', ms)
redis.call('ZADD', KEYS[2], 'NX', string.format('%.0f', micros), ARGV[1])
arrange(KEYS[1], tonumber(ms))
return 'stored'
