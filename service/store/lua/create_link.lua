-- Write a link to a run that exists.
-- KEYS: run, links of the run, link, idempotency
-- ARGV: id, link, milliseconds it lives, links at most, idempotency token
-- uses: idempotency
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then
  return 'created'
end
local verdict = recall(KEYS[4], ARGV[5])
if verdict then
  return verdict
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[4]) then
  return 'full'
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[3])
remember(KEYS[4], ARGV[5], ARGV[1])
return 'created'
