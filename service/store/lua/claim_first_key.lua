-- Make a key the first of the deployment, in the place of the one that was.
-- KEYS: first key    ARGV: id, id of the one before or ''
local known = redis.call('GET', KEYS[1]) or ''
if known == ARGV[1] then
  return 1
end
if known ~= ARGV[2] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1])
return 1
