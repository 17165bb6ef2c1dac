-- A shard has all its outcomes: keep them packed, drop the working copy; the last one puts the end.
-- KEYS: job, units, holds, leases of the tenant, outcomes of the shard, shards
-- ARGV: unit, fence, job id, outcomes there must be, packed outcomes
if redis.call('HGET', KEYS[3], 'fence:' .. ARGV[1]) ~= ARGV[2] then
  return 'lost'
end
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return 'committed'
end
if redis.call('HLEN', KEYS[5]) ~= tonumber(ARGV[4]) then
  return 'miscounted'
end
redis.call('HSET', KEYS[6], ARGV[1], ARGV[5])
redis.call('UNLINK', KEYS[5])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[3] .. '/' .. ARGV[1])
if redis.call('ZCARD', KEYS[2]) == 0 then
  redis.call('ZADD', KEYS[2], 0, 'end')
  redis.call('HSET', KEYS[1], 'status', 'finalising')
  return 'last'
end
return 'committed'
