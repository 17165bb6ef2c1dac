-- Write a grant for its giver and its reader, or answer the one that says the same.
-- KEYS: grants of the giver, received by the reader, idempotency
-- ARGV: id, what is granted, grant, grants at most, idempotency token
-- Answers a verdict and the grant.
-- uses: idempotency
local verdict, made = recall(KEYS[3], ARGV[5])
if verdict == 'made' then
  local grant = redis.call('HGET', KEYS[1], made)
  return {grant and 'made' or 'gone', grant or ''}
end
if verdict then
  return {verdict, ''}
end
local known = redis.call('HGET', KEYS[2], ARGV[2])
if not known then
  if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then
    return {'full', ''}
  end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
end
remember(KEYS[3], ARGV[5], known and cjson.decode(known).id or ARGV[1])
return {'made', known or ARGV[3]}
