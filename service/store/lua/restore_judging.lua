-- Turn a staged judging of a backup into a judging. Who voted on what is told by its votes.
-- KEYS: judging, sizes, judgings index, then staged and final key of the pairs with a person's vote,
--   and of each part
-- ARGV: id, position, tenant, limits of the team, bytes, then fields of the record and their values
--   in turn
-- uses: sizes, quotas, restoring
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'exists'}
end
local refused = restoring.refuse(KEYS[2], ARGV[3], quotas.limits(ARGV[3], ARGV[4]), ARGV[5])
if refused then
  return refused
end
restoring.take(4)
redis.call('HSET', KEYS[1], unpack(ARGV, 6))
redis.call('HSET', KEYS[1], 'reviewed', redis.call('SCARD', KEYS[5]))
sizes.put(KEYS[2], ARGV[1], ARGV[5])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
return {'restored'}
