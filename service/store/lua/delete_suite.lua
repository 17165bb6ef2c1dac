-- Delete a suite with what joins its runs; the runs themselves stay.
-- KEYS: suite, index, names, sizes, suite runs of the suite    ARGV: id, key of a suite run up to its id
-- uses: sizes
local name = redis.call('HGET', KEYS[1], 'name')
if not name then
  return 'missing'
end
for _, joined in ipairs(redis.call('ZRANGE', KEYS[5], 0, -1)) do
  redis.call('UNLINK', ARGV[2] .. joined)
  sizes.drop(KEYS[4], joined)
end
redis.call('UNLINK', KEYS[1], KEYS[5])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], name)
sizes.drop(KEYS[4], ARGV[1])
return 'deleted'
