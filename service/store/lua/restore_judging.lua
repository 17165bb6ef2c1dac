-- Turn a staged judging of a backup into a judging. Who voted on what is told by its votes.
-- KEYS: judging, sizes, judgings index, then staged and final key of the pairs with a person's vote,
--   and of each part
-- ARGV: id, position, tenant, limits of the team, bytes, then fields of the record and their values
--   in turn
-- uses: sizes, quotas
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'exists'}
end
local _, to_come = quotas.waiting(ARGV[3], redis.call('TIME')[1] * 1000)
local refused = quotas.refuse(quotas.limits(ARGV[3], ARGV[4]), 'stored_bytes',
  sizes.total(KEYS[2]) + to_come, tonumber(ARGV[5]))
if refused then
  return refused
end
for i = 4, #KEYS, 2 do
  if redis.call('EXISTS', KEYS[i]) == 1 then
    redis.call('RENAME', KEYS[i], KEYS[i + 1])
    redis.call('PERSIST', KEYS[i + 1])
  end
end
redis.call('HSET', KEYS[1], unpack(ARGV, 6))
redis.call('HSET', KEYS[1], 'reviewed', redis.call('SCARD', KEYS[5]))
sizes.put(KEYS[2], ARGV[1], ARGV[5])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
return {'restored'}
