-- Delete an alert and what it found. What waits to be evaluated goes when its turn comes.
-- KEYS: alert, index, log    ARGV: id
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('UNLINK', KEYS[3])
return redis.call('UNLINK', KEYS[1]) == 0 and 'missing' or 'deleted'
