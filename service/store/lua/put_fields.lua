-- Write fields of a job or of one of its parts, if the unit is still held under its fence.
-- A part of a job that is not kept for ever goes when its record does.
-- KEYS: units, holds, part, record    ARGV: unit, fence, then field and value in turn
if not redis.call('ZSCORE', KEYS[1], ARGV[1])
  or redis.call('HGET', KEYS[2], 'fence:' .. ARGV[1]) ~= ARGV[2] then
  return 0
end
for i = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
end
local left = redis.call('PTTL', KEYS[4])
if left > 0 then
  redis.call('PEXPIRE', KEYS[3], left)
end
return 1
