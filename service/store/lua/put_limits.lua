-- Write a team's own limits, in place of those it had.
-- KEYS: the team's own limits    ARGV: name and value in turn
redis.call('DEL', KEYS[1])
if #ARGV > 0 then
  redis.call('HSET', KEYS[1], unpack(ARGV))
end
return 1
