-- Write a run's record, its secrets and its idempotency entry together, or answer an earlier one.
-- KEYS: idempotency, rankings, then of the run as in `runs.create`, the run first
-- ARGV: idempotency token, then of the run as in `runs.create`, its id first
-- uses: sizes, quotas, runs, idempotency
if redis.call('EXISTS', KEYS[3]) == 1 then
  return {'created', ARGV[2]}
end
local verdict, made = recall(KEYS[1], ARGV[1])
if verdict then
  return {verdict, made}
end
local refused = runs.create({unpack(KEYS, 3)}, {unpack(ARGV, 2)})
if refused then
  return refused
end
redis.call('PERSIST', KEYS[2])
remember(KEYS[1], ARGV[1], ARGV[2])
return {'created', ARGV[2]}
