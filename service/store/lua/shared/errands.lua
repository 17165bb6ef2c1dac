-- Stands before every script that queues a job of one unit which is kept for a while.

-- Write the record of such a job and its secrets; answers nothing, or why the team may not have it.
-- `keys`: job, active jobs, secrets, units, tenants with jobs
-- `args`: id, queue/tenant, spec, sealed secrets, queue, seconds to keep, schema, limits of the team,
--   requests it will send
local function queue_errand(keys, args)
  local now = redis.call('TIME')
  local tenant = string.match(args[2], '/(.*)$')
  local spent = quotas.spent(tenant, 'queries_per_day', now[1])
  local limits = quotas.limits(tenant, args[8])
  local refused = quotas.refuse(limits, 'queries_per_day', spent, tonumber(args[9]))
  if refused then
    return refused
  end
  if limits.queries_per_day then
    quotas.spend(tenant, 'queries_per_day', args[9], now[1])
  end
  local micros = now[1] * 1000000 + now[2]
  redis.call('HSET', keys[1], 'spec', args[3], 'status', 'queued', 'queue', args[5],
    'created_ms', string.format('%.0f', math.floor(micros / 1000)),
    'epoch', 0, 'attempts', 0, 'crash_count', 0, 'cancel', 0, 'schema', args[7], 'small', 1)
  redis.call('EXPIRE', keys[1], args[6])
  redis.call('ZADD', keys[4], 0, 'job')
  redis.call('EXPIRE', keys[4], args[6])
  redis.call('ZADD', keys[2], micros, args[1])
  redis.call('SADD', keys[5], args[2])
  if args[4] ~= '' then
    redis.call('SET', keys[3], args[4], 'EX', args[6])
  end
end
