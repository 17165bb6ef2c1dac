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
