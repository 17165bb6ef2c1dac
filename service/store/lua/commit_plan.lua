-- The plan is stored: put the shards in its place, or the end where nothing is left to send.
-- KEYS: job, units, holds, leases of the tenant    ARGV: unit, fence, job id, shards (names in turn)
if redis.call('HGET', KEYS[3], 'fence:' .. ARGV[1]) ~= ARGV[2] then
  return 'lost'
end
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return 'committed'
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[3] .. '/' .. ARGV[1])
if redis.call('HGET', KEYS[1], 'cancel') == '0' then
  for i = 4, #ARGV do
    redis.call('ZADD', KEYS[2], 0, ARGV[i])
  end
end
if redis.call('ZCARD', KEYS[2]) == 0 then
  redis.call('ZADD', KEYS[2], 0, 'end')
  redis.call('HSET', KEYS[1], 'status', 'finalising')
end
return 'committed'
