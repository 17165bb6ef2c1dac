-- Write fields of a job or of one of its parts, if the unit is still held under its fence.
-- KEYS: units, holds, part    ARGV: unit, fence, then field and value in turn
if not redis.call('ZSCORE', KEYS[1], ARGV[1])
  or redis.call('HGET', KEYS[2], 'fence:' .. ARGV[1]) ~= ARGV[2] then
  return 0
end
for i = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
end
return 1
