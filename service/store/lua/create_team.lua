-- Write a team under an id that no other one has.
-- KEYS: teams    ARGV: id, team
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known and known ~= ARGV[2] then
  return 'taken'
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 'created'
