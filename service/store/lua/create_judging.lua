-- Write a new judging.
-- KEYS: judging, index, idempotency    ARGV: id, idempotency token, then field and value in turn
-- uses: idempotency
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'created', ARGV[1]}
end
local verdict, made = recall(KEYS[3], ARGV[2])
if verdict then
  return {verdict, made}
end
local now = redis.call('TIME')
local micros = now[1] * 1000000 + now[2]
redis.call('HSET', KEYS[1], 'state', 'draft', 'revision', 0, 'error', '',
  'created_ms', string.format('%.0f', math.floor(micros / 1000)), unpack(ARGV, 3))
redis.call('ZADD', KEYS[2], string.format('%.0f', micros), ARGV[1])
remember(KEYS[3], ARGV[2], ARGV[1])
return {'created', ARGV[1]}
