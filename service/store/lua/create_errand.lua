-- Write a short job's record and its secrets, to be kept for a while.
-- KEYS: idempotency, job, active jobs, secrets, units, tenants with jobs
-- ARGV: idempotency token, then id, queue/tenant, spec, sealed secrets, queue, seconds to keep, schema,
--   limits of the team, requests it will send
-- uses: quotas, idempotency, errands
if redis.call('EXISTS', KEYS[2]) == 1 then
  return {'created', ARGV[2]}
end
local verdict, made = recall(KEYS[1], ARGV[1])
if verdict then
  return {verdict, made}
end
local refused = queue_errand({unpack(KEYS, 2)}, {unpack(ARGV, 2)})
if refused then
  return refused
end
remember(KEYS[1], ARGV[1], ARGV[2])
return {'created', ARGV[2]}
