-- Keep the answer to an idempotency key; the first one kept is what everybody gets.
-- KEYS: entry    ARGV: answer
if redis.call('EXISTS', KEYS[1]) == 0 then
  return ARGV[1]
end
redis.call('HSETNX', KEYS[1], 'answer', ARGV[1])
return redis.call('HGET', KEYS[1], 'answer')
