-- Let a delivery begin now: one that is known, once more, or a new one.
-- KEYS: webhook, idempotency
-- ARGV: event id, idempotency token, then field and value in turn (of a new one; else none)
-- uses: webhooks, idempotency
local verdict, made = recall(KEYS[2], ARGV[2])
if verdict then
  return {verdict, made}
end
local enabled = redis.call('HGET', KEYS[1], 'enabled')
if not enabled
  or (#ARGV == 2 and redis.call('EXISTS', KEYS[1] .. ':event:' .. ARGV[1]) == 0) then
  return {'missing', ''}
end
if enabled ~= '1' then
  return {'disabled', ''}
end
local now = redis.call('TIME')
queue(KEYS[1], ARGV[1], now[1] * 1000000 + now[2], {unpack(ARGV, 3)})
remember(KEYS[2], ARGV[2], ARGV[1])
return {'queued', ARGV[1]}
