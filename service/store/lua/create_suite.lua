-- Write a suite under a name that no other one has, or answer an earlier one.
-- KEYS: suite, index, names, sizes, idempotency
-- ARGV: id, name, body, suites a tenant may have, idempotency token
-- uses: sizes, idempotency
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'created', ARGV[1]}
end
local verdict, made = recall(KEYS[5], ARGV[5])
if verdict then
  return {verdict, made}
end
if redis.call('HEXISTS', KEYS[3], ARGV[2]) == 1 then
  return {'taken', ''}
end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[4]) then
  return {'full', ''}
end
local now = redis.call('TIME')
redis.call('HSET', KEYS[1], 'name', ARGV[2], 'body', ARGV[3],
  'created_ms', string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)))
redis.call('ZADD', KEYS[2], now[1] * 1000000 + now[2], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[2], ARGV[1])
sizes.put(KEYS[4], ARGV[1], #ARGV[3])
remember(KEYS[5], ARGV[5], ARGV[1])
return {'created', ARGV[1]}
