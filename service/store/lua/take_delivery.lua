-- Lease the webhook whose delivery has been due for longest to one worker.
-- KEYS: webhooks by when their next delivery is due    ARGV: lease in ms
-- Answers the webhook's key, the event's id and a token that settling it takes; or nothing.
-- uses: webhooks
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local at = string.format('%.0f', ms)
local hook = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', at, 'LIMIT', 0, 1)[1]
if not hook then
  return {}
end
local event = redis.call('ZRANGE', hook .. ':due', 0, 0)[1]
redis.call('HSET', hook, 'lease_until', string.format('%.0f', ms + ARGV[1]))
arrange(hook, ms)
return {hook, event, redis.call('HINCRBY', hook, 'takes', 1)}
