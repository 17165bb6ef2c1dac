-- Write down how an attempt ended, unless the webhook was leased to another worker meanwhile, or is gone.
-- KEYS: webhook
-- ARGV: event id, token, state (pending: there is another attempt), all attempts, ms until the next,
--   ms of failures after which the webhook is switched off, why it would be, deliveries that are kept
-- uses: webhooks
if redis.call('HGET', KEYS[1], 'takes') ~= ARGV[2] then
  return 'lost'
end
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local delivery, due, log = KEYS[1] .. ':event:' .. ARGV[1], KEYS[1] .. ':due', KEYS[1] .. ':log'
local again = string.format('%.0f', ms + ARGV[5])
redis.call('HINCRBY', delivery, 'tries', 1)
redis.call('HSET', delivery, 'state', ARGV[3], 'attempts', ARGV[4])
if ARGV[3] == 'pending' then
  redis.call('HSET', delivery, 'next_ms', again)
  redis.call('ZADD', due, again, ARGV[1])
else
  redis.call('HDEL', delivery, 'next_ms')
  redis.call('ZREM', due, ARGV[1])
end
redis.call('HSET', KEYS[1], 'lease_until', 0)
if ARGV[3] == 'delivered' then
  redis.call('HSET', KEYS[1], 'failing_since_ms', '')
else
  local since = redis.call('HGET', KEYS[1], 'failing_since_ms')
  if since == '' then
    since = string.format('%.0f', ms)
    redis.call('HSET', KEYS[1], 'failing_since_ms', since)
  end
  if ms - since >= tonumber(ARGV[6]) then
    redis.call('HSET', KEYS[1], 'enabled', 0, 'disabled_reason', ARGV[7])
  end
end
-- The oldest go first; what is still to be delivered stays, however much it is.
local over = redis.call('ZCARD', log) - ARGV[8]
for _, event in ipairs(over > 0 and redis.call('ZRANGE', log, 0, math.min(over, 1000) - 1) or {}) do
  if not redis.call('ZSCORE', due, event) then
    redis.call('UNLINK', KEYS[1] .. ':event:' .. event)
    redis.call('ZREM', log, event)
  end
end
arrange(KEYS[1], ms)
return 'settled'
