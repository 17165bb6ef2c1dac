-- Turn a staged run of a backup into a run; its age counts from now.
-- KEYS: run, sizes, runs index, test set head, test set runs, then staged and final key of each part
-- ARGV: id, position, tenant, limits of the team, then fields of the record and their values in turn
-- uses: sizes, quotas, restoring
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'exists'}
end
if redis.call('EXISTS', KEYS[4]) == 0 then
  return {'no_test_set'}
end
local now = redis.call('TIME')
local record = {}
for i = 5, #ARGV, 2 do
  record[ARGV[i]] = ARGV[i + 1]
end
local refused = restoring.refuse(KEYS[2], ARGV[3], quotas.limits(ARGV[3], ARGV[4]), record.bytes)
if refused then
  return refused
end
restoring.take(6)
redis.call('HSET', KEYS[1], unpack(ARGV, 5))
redis.call('HSET', KEYS[1], 'used_ms', string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)))
sizes.put(KEYS[2], ARGV[1], record.bytes)
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[5], ARGV[2], ARGV[1])
return {'restored'}
