-- Turn a staged test set of a backup into a test set, with its id and version.
-- KEYS: head, sizes, index, contents, versions, name, tenants, then staged and final key of the queries
-- ARGV: id, position, name, content hash, tenant, limits of the team, then fields of the head and
--   their values in turn
-- uses: sizes, quotas, restoring
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'exists'}
end
local head = {}
for i = 7, #ARGV, 2 do
  head[ARGV[i]] = ARGV[i + 1]
end
if redis.call('ZCOUNT', KEYS[6], head.version, head.version) > 0 then
  return {'taken'}
end
if redis.call('EXISTS', KEYS[8]) == 0 then
  return {'empty'}
end
local limits = quotas.limits(ARGV[5], ARGV[6])
local refused = quotas.refuse(limits, 'test_sets', redis.call('ZCARD', KEYS[3]), 1)
  or restoring.refuse(KEYS[2], ARGV[5], limits, head.bytes)
if refused then
  return refused
end
restoring.take(8)
redis.call('HSET', KEYS[1], unpack(ARGV, 7))
sizes.put(KEYS[2], ARGV[1], head.bytes)
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('HSETNX', KEYS[4], ARGV[3] .. '\0' .. ARGV[4], ARGV[1])
if tonumber(redis.call('HGET', KEYS[5], ARGV[3]) or '0') < tonumber(head.version) then
  redis.call('HSET', KEYS[5], ARGV[3], head.version)
end
redis.call('ZADD', KEYS[6], head.version, ARGV[1])
redis.call('SADD', KEYS[7], ARGV[5])
return {'restored'}
