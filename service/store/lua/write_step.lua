-- Write what a worker found for a judging, if its job is still held under its fence.
-- What is appended already is not appended again: a reply may be lost on its way.
-- KEYS: units, holds, judging, part of it
-- ARGV: unit, fence, 'put' or 'append', fields of the judging, then these fields and values in turn,
--   then those of the part
if not redis.call('ZSCORE', KEYS[1], ARGV[1])
  or redis.call('HGET', KEYS[2], 'fence:' .. ARGV[1]) ~= ARGV[2]
  or redis.call('EXISTS', KEYS[3]) == 0 then
  return 0
end
local first = 5 + 2 * ARGV[4]
for i = 5, first - 1, 2 do
  redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
end
for i = first, #ARGV, 2 do
  local value = ARGV[i + 1]
  if ARGV[3] == 'append' then
    local known = redis.call('HGET', KEYS[4], ARGV[i]) or ''
    value = string.find(known, value, 1, true) and known or known .. value
  end
  redis.call('HSET', KEYS[4], ARGV[i], value)
end
redis.call('HINCRBY', KEYS[3], 'revision', 1)
return 1
