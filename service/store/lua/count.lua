-- Add to the counters of the deployment, once: what is sent again after a lost reply adds nothing.
-- KEYS: counters, last number of the process that counts, targets with counters of their own
-- ARGV: number of this addition, seconds to remember it, most targets, name of all further ones,
--   then counter, target (empty: it has none), label and amount in turn
if tonumber(redis.call('GET', KEYS[2]) or '0') >= tonumber(ARGV[1]) then
  return 0
end
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[2])
for i = 5, #ARGV, 4 do
  local target = ARGV[i + 1]
  if target ~= '' and redis.call('SISMEMBER', KEYS[3], target) == 0 then
    if redis.call('SCARD', KEYS[3]) < tonumber(ARGV[3]) then
      redis.call('SADD', KEYS[3], target)
    else
      target = ARGV[4]
    end
  end
  redis.call('HINCRBY', KEYS[1], ARGV[i] .. ' ' .. ARGV[i + 2] .. ' ' .. target, ARGV[i + 3])
end
return 1
