-- Keep a run from expiring, or let it expire again.
-- KEYS: run    ARGV: 1 to pin, 0 to unpin
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
redis.call('HSET', KEYS[1], 'pinned', ARGV[1])
return 'done'
