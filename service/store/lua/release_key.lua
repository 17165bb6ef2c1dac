-- Give an idempotency key back when nothing was made, so that it can be used at once.
-- KEYS: entry    ARGV: token
if redis.call('HGET', KEYS[1], 'token') == ARGV[1] and redis.call('HEXISTS', KEYS[1], 'made') == 0 then
  redis.call('UNLINK', KEYS[1])
end
return 1
