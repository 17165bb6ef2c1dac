-- Delete a webhook with all its deliveries.
-- KEYS: webhook, index    ARGV: id
-- uses: webhooks
if redis.call('UNLINK', KEYS[1]) == 0 then
  return 'missing'
end
for _, event in ipairs(redis.call('ZRANGE', KEYS[1] .. ':log', 0, -1)) do
  redis.call('UNLINK', KEYS[1] .. ':event:' .. event)
end
redis.call('UNLINK', KEYS[1] .. ':log', KEYS[1] .. ':due')
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', DUE, KEYS[1])
return 'deleted'
