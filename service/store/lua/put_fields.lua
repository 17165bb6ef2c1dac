-- Write fields of a run's part, if the epoch still stands.
-- KEYS: run, part    ARGV: epoch, then field and value in turn
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then
  return 0
end
for i = 2, #ARGV, 2 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
end
return 1
