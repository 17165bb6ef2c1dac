-- Write a run's record, its secrets and its idempotency entry together, or answer an earlier one.
-- KEYS: run, runs index, active jobs, test set head, test set runs, secrets, idempotency, rankings,
--   units, tenants with jobs
-- ARGV: id, queue/tenant, spec, sealed secrets, idempotency token, queue, schema,
--   workers at most (0: any number), 1 if it is small, limits of the team, requests it will send,
--   bytes it may come to keep
-- uses: sizes, quotas, runs, idempotency
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'created', ARGV[1]}
end
local verdict, made = recall(KEYS[7], ARGV[5])
if verdict then
  return {verdict, made}
end
if redis.call('EXISTS', KEYS[4]) == 0 then
  return {'no_test_set', ''}
end
local tenant = string.match(ARGV[2], '/(.*)$')
local limits = quotas.limits(tenant, ARGV[10])
local refused = runs.refuse(tenant, limits, 1, tonumber(ARGV[11]), tonumber(ARGV[12]))
if refused then
  return refused
end
runs.spend(tenant, limits, ARGV[11])
runs.write(
  {record = KEYS[1], index = KEYS[2], active = KEYS[3], test_set_runs = KEYS[5], secrets = KEYS[6],
    units = KEYS[9], busy = KEYS[10]},
  {id = ARGV[1], busy = ARGV[2], spec = ARGV[3], secrets = ARGV[4], queue = ARGV[6],
    schema = ARGV[7], workers = ARGV[8], small = ARGV[9], bytes = ARGV[12]},
  limits)
redis.call('PERSIST', KEYS[8])
remember(KEYS[7], ARGV[5], ARGV[1])
return {'created', ARGV[1]}
