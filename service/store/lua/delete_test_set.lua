-- Delete a test set that no run refers to.
-- KEYS: head, queries, index, contents, name, runs, sizes
-- ARGV: id, name, content hash
-- uses: sizes
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
if redis.call('ZCARD', KEYS[6]) > 0 then
  return 'referenced'
end
redis.call('UNLINK', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
local field = ARGV[2] .. '\0' .. ARGV[3]
if redis.call('HGET', KEYS[4], field) == ARGV[1] then
  redis.call('HDEL', KEYS[4], field)
end
redis.call('ZREM', KEYS[5], ARGV[1])
sizes.drop(KEYS[7], ARGV[1])
return 'deleted'
