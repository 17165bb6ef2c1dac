-- Write votes of people. All are written or none is; none is ever taken back.
-- KEYS: judging, votes, pairs with a person's vote, idempotency
-- ARGV: idempotency token, then query, pair and row in turn
-- uses: idempotency
local verdict = recall(KEYS[4], ARGV[1])
if verdict then
  return {verdict, redis.call('SCARD', KEYS[3])}
end
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return {'missing', 0}
end
if state == 'frozen' or state == 'draft' or state == 'pooling' then
  return {state, 0}
end
for i = 2, #ARGV, 3 do
  local known = redis.call('HGET', KEYS[2], ARGV[i]) or ''
  if not string.find(known, ARGV[i + 2], 1, true) then
    redis.call('HSET', KEYS[2], ARGV[i], known .. ARGV[i + 2])
  end
  redis.call('SADD', KEYS[3], ARGV[i + 1])
end
if state ~= 'judging' then
  redis.call('HSET', KEYS[1], 'state', 'reviewing')
end
redis.call('HSET', KEYS[1], 'reviewed', redis.call('SCARD', KEYS[3]))
redis.call('HINCRBY', KEYS[1], 'revision', 1)
remember(KEYS[4], ARGV[1], 'votes')
return {'written', redis.call('SCARD', KEYS[3])}
