-- Write a schedule, new or changed, with when it is due.
-- KEYS: schedule, index, idempotency, schedules by when they are due
-- ARGV: id, schedules a tenant may have (0: it is not new), version it must have (0: any), idempotency
--   token, when it is due in ms (empty: not at all), then field and value in turn
-- uses: idempotency, versioned
local refused = versioned.put(KEYS, ARGV)
if refused then
  return refused
end
redis.call('HSET', KEYS[1], 'next_ms', ARGV[5], unpack(ARGV, 6))
if ARGV[5] == '' then
  redis.call('ZREM', KEYS[4], KEYS[1])
else
  redis.call('ZADD', KEYS[4], ARGV[5], KEYS[1])
end
return {'stored', ARGV[1]}
