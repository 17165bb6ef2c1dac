-- Take a grant back.
-- KEYS: grants of the giver, received by the reader    ARGV: id, what was granted
redis.call('HDEL', KEYS[2], ARGV[2])
return redis.call('HDEL', KEYS[1], ARGV[1])
