-- Write a team under an id that no other one has.
-- KEYS: teams, idempotency    ARGV: id, team, idempotency token
-- Answers a verdict and the team.
-- uses: idempotency
local known = redis.call('HGET', KEYS[1], ARGV[1])
local verdict, made = recall(KEYS[2], ARGV[3])
if verdict then
  return {verdict, redis.call('HGET', KEYS[1], made) or ''}
end
if known and known ~= ARGV[2] then
  return {'taken', ''}
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
remember(KEYS[2], ARGV[3], ARGV[1])
return {'created', ARGV[2]}
