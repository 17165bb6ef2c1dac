-- Add runs that looked at a hold-out to those that are known.
-- KEYS: looks at the hold-out    ARGV: turn and run id in turn
return redis.call('ZADD', KEYS[1], 'NX', unpack(ARGV))
