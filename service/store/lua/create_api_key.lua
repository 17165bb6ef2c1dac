-- Write a key of a team that exists; it goes by itself some time after it has expired.
-- KEYS: key, keys of the team, teams
-- ARGV: id, team (empty: it needs not be listed), when it goes in ms, then fields and values in turn
if ARGV[2] ~= '' and redis.call('HEXISTS', KEYS[3], ARGV[2]) == 0 then
  return 'no_team'
end
local now = redis.call('TIME')
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], 'NX', now[1] * 1000000 + now[2], ARGV[1])
return 'created'
