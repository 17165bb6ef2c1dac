-- Write a key of a team that exists; it goes by itself some time after it has expired. The one that it
-- replaces, if it does, expires earlier from now on.
-- KEYS: key, keys of the team, teams, idempotency, key that is replaced
-- ARGV: id, team (empty: it needs not be listed), when it goes in ms, idempotency token,
--   when the other one expires in ms (empty: there is none), then fields and values in turn
-- uses: idempotency
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 'created'
end
local verdict = recall(KEYS[4], ARGV[4])
if verdict then
  return verdict
end
if ARGV[2] ~= '' and redis.call('HEXISTS', KEYS[3], ARGV[2]) == 0 then
  return 'no_team'
end
local now = redis.call('TIME')
redis.call('HSET', KEYS[1], unpack(ARGV, 6))
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], 'NX', now[1] * 1000000 + now[2], ARGV[1])
if ARGV[5] ~= '' and redis.call('EXISTS', KEYS[5]) == 1 then
  redis.call('HSET', KEYS[5], 'expires_ms', ARGV[5])
end
remember(KEYS[4], ARGV[4], ARGV[1])
return 'created'
