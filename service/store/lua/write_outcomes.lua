-- Keep the first valid outcome of each request, if the unit is still held under its fence.
-- KEYS: job, units, holds, outcomes    ARGV: unit, fence, then place, failed (0 or 1) and outcome in turn
if not redis.call('ZSCORE', KEYS[2], ARGV[1])
  or redis.call('HGET', KEYS[3], 'fence:' .. ARGV[1]) ~= ARGV[2] then
  return 0
end
local done, failed = 0, 0
for i = 3, #ARGV, 3 do
  if redis.call('HSETNX', KEYS[4], ARGV[i], ARGV[i + 2]) == 1 then
    done = done + 1
    failed = failed + ARGV[i + 1]
  end
end
if done > 0 then
  redis.call('HINCRBY', KEYS[1], 'done', done)
  redis.call('HINCRBY', KEYS[1], 'failed', failed)
end
return 1
