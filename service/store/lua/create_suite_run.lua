-- Write all runs over a suite and what joins them, or none of them, or answer an earlier one.
-- KEYS: suite run, suite, suite runs of the suite, sizes, idempotency, runs index, active jobs,
--   tenants with jobs, then of each run: run, test set head, test set runs, secrets, units
-- ARGV: id, body, idempotency token, queue/tenant, sealed secrets, queue, schema, limits of the team,
--   then of each run: id, spec, workers at most (0: any number), 1 if it is small, requests it will
--   send, bytes it may come to keep
-- uses: sizes, quotas, runs, idempotency
local FIRST_KEY, KEYS_EACH, FIRST_WORD, WORDS_EACH = 9, 5, 9, 6
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {'created', ARGV[1]}
end
local verdict, made = recall(KEYS[5], ARGV[3])
if verdict then
  return {verdict, made}
end
if redis.call('EXISTS', KEYS[2]) == 0 then
  return {'missing', ''}
end
local tenant = string.match(ARGV[4], '/(.*)$')
local limits = quotas.limits(tenant, ARGV[8])
local count, queries, bytes = (#KEYS - FIRST_KEY + 1) / KEYS_EACH, 0, 0
for n = 0, count - 1 do
  if redis.call('EXISTS', KEYS[FIRST_KEY + KEYS_EACH * n + 1]) == 0 then
    return {'no_test_set', ''}
  end
  queries = queries + ARGV[FIRST_WORD + WORDS_EACH * n + 4]
  bytes = bytes + ARGV[FIRST_WORD + WORDS_EACH * n + 5]
end
local refused = runs.refuse(tenant, limits, count, queries, bytes)
if refused then
  return refused
end
runs.spend(tenant, limits, queries)
for n = 0, count - 1 do
  local key, word = FIRST_KEY + KEYS_EACH * n, FIRST_WORD + WORDS_EACH * n
  runs.write(
    {record = KEYS[key], index = KEYS[6], active = KEYS[7], test_set_runs = KEYS[key + 2],
      secrets = KEYS[key + 3], units = KEYS[key + 4], busy = KEYS[8]},
    {id = ARGV[word], busy = ARGV[4], spec = ARGV[word + 1], secrets = ARGV[5], queue = ARGV[6],
      schema = ARGV[7], workers = ARGV[word + 2], small = ARGV[word + 3], bytes = ARGV[word + 5]},
    limits)
end
local now = redis.call('TIME')
redis.call('HSET', KEYS[1], 'body', ARGV[2],
  'created_ms', string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)))
redis.call('ZADD', KEYS[3], now[1] * 1000000 + now[2], ARGV[1])
sizes.put(KEYS[4], ARGV[1], #ARGV[2])
remember(KEYS[5], ARGV[3], ARGV[1])
return {'created', ARGV[1]}
