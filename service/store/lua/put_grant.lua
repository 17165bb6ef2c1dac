-- Write a grant for its giver and its reader, or answer the one that says the same.
-- KEYS: grants of the giver, received by the reader    ARGV: id, what is granted, grant, grants at most
local known = redis.call('HGET', KEYS[2], ARGV[2])
if known then
  return known
end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then
  return ''
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
return ARGV[3]
