-- Keep the first valid outcome of each request, if the epoch still stands.
-- KEYS: run, outcomes    ARGV: epoch, then index, failed (0 or 1) and outcome in turn
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then
  return 0
end
local done, failed = 0, 0
for i = 2, #ARGV, 3 do
  if redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 2]) == 1 then
    done = done + 1
    failed = failed + ARGV[i + 1]
  end
end
if done > 0 then
  redis.call('HINCRBY', KEYS[1], 'done', done)
  redis.call('HINCRBY', KEYS[1], 'failed', failed)
end
return 1
