-- Records of runs that wait to be worked on: one, or several that are made together.
-- Stands after sizes and quotas.
local runs = {}

-- Answers what to tell the caller where the team may not have so many more runs, of which all
-- together send so many queries and may come to keep so many bytes.
function runs.refuse(tenant, limits, count, queries, bytes)
  local now = redis.call('TIME')
  local waiting, to_come = quotas.waiting(tenant, now[1] * 1000 + math.floor(now[2] / 1000))
  local stored = sizes.total('t:' .. tenant .. ':sizes')
  local spent = quotas.spent(tenant, 'queries_per_day', now[1])
  return quotas.refuse(limits, 'queued_runs', waiting, count)
    or quotas.refuse(limits, 'queries_per_day', spent, queries)
    or quotas.refuse(limits, 'stored_bytes', stored + to_come, bytes)
end

function runs.spend(tenant, limits, queries)
  if limits.queries_per_day then
    quotas.spend(tenant, 'queries_per_day', queries, redis.call('TIME')[1])
  end
end

-- Writes a run: `at` are its keys (record, index, active, test_set_runs, secrets, units, busy),
-- `run` is what it is (id, busy, spec, secrets, queue, schema, workers, small, bytes).
function runs.write(at, run, limits)
  local now = redis.call('TIME')
  local micros = now[1] * 1000000 + now[2]
  redis.call('HSET', at.record, 'spec', run.spec, 'status', 'queued',
    'created_ms', string.format('%.0f', math.floor(micros / 1000)),
    'epoch', 0, 'attempts', 0, 'crash_count', 0, 'total', 0, 'done', 0, 'failed', 0, 'cancel', 0,
    'queue', run.queue, 'schema', run.schema, 'workers', run.workers, 'small', run.small,
    'to_keep', run.bytes, 'at_once', run.queue == 'runs' and limits.concurrent_runs or 0)
  redis.call('ZADD', at.units, 0, 'plan')
  redis.call('ZADD', at.index, micros, run.id)
  redis.call('ZADD', at.active, micros, run.id)
  redis.call('SADD', at.busy, run.busy)
  redis.call('ZADD', at.test_set_runs, micros, run.id)
  if run.secrets ~= '' then
    redis.call('SET', at.secrets, run.secrets)
  end
end

-- Writes one run, or answers why not. `keys`: run, runs index, active jobs, test set head, test set
-- runs, secrets, units, tenants with jobs. `args`: id, queue/tenant, spec, sealed secrets, queue,
-- schema, workers at most (0: any number), 1 if it is small, limits of the team, requests it will
-- send, bytes it may come to keep.
function runs.create(keys, args)
  if redis.call('EXISTS', keys[4]) == 0 then
    return {'no_test_set', ''}
  end
  local tenant = string.match(args[2], '/(.*)$')
  local limits = quotas.limits(tenant, args[9])
  local refused = runs.refuse(tenant, limits, 1, tonumber(args[10]), tonumber(args[11]))
  if refused then
    return refused
  end
  runs.spend(tenant, limits, args[10])
  runs.write(
    {record = keys[1], index = keys[2], active = keys[3], test_set_runs = keys[5],
      secrets = keys[6], units = keys[7], busy = keys[8]},
    {id = args[1], busy = args[2], spec = args[3], secrets = args[4], queue = args[5],
      schema = args[6], workers = args[7], small = args[8], bytes = args[11]},
    limits)
end
