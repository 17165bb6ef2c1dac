-- Note that a run looked at a hold-out, once; answer which look it was.
-- KEYS: looks at the hold-out, run    ARGV: run id, digest of the hold-out
local look = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not look then
  look = redis.call('ZCARD', KEYS[1]) + 1
  redis.call('ZADD', KEYS[1], look, ARGV[1])
end
if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('HSET', KEYS[2], 'look', look, 'holdout', ARGV[2])
end
return tonumber(look)
