-- What waits in the queues and what is worked on, as JSON: per queue the jobs, the units that a
-- worker could take now, those that are held, those that wait for their hour or for other runs of
-- their team, and since when the oldest of the first kind could be taken; per kind and status the
-- jobs that have not ended.
-- KEYS: tenants with jobs    ARGV: most jobs of a tenant in a queue that are looked at
-- uses: quotas
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local queues, states = {}, {}

local function look_at(load, tenant, id, key, created, not_before, workers, cancel, at_once)
  local units = key .. ':units'
  local held = redis.call('ZCOUNT', units, '(' .. string.format('%.0f', ms), '+inf')
  local free = redis.call('ZCARD', units) - held
  load.held = load.held + held
  if workers > 0 then
    free = math.min(free, math.max(0, workers - held))
  end
  if free == 0 then
    return
  end
  local late = not_before > ms or quotas.hold_back(tenant, id, at_once, ms)
  if late and cancel ~= '1' then
    load.waiting = load.waiting + free
    return
  end
  load.claimable = load.claimable + free
  local lapsed = tonumber(redis.call('ZRANGE', units, 0, 0, 'WITHSCORES')[2])
  load.since = math.min(load.since, math.max(created, not_before, lapsed))
end

for _, member in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local queue, tenant = string.match(member, '^([^/]*)/(.*)$')
  local load = queues[queue] or {jobs = 0, claimable = 0, held = 0, waiting = 0, since = ms}
  local active = 't:' .. tenant .. ':active:' .. queue
  queues[queue] = load
  load.jobs = load.jobs + redis.call('ZCARD', active)
  for _, id in ipairs(redis.call('ZRANGE', active, 0, ARGV[1] - 1)) do
    local kind = string.match(id, '^[^_]*')
    local key = 't:' .. tenant .. ':' .. kind .. ':' .. id
    local state = redis.call('HMGET', key, 'status', 'created_ms', 'not_before', 'workers', 'cancel',
      'at_once')
    if state[1] then
      local name = kind .. ' ' .. state[1]
      states[name] = (states[name] or 0) + 1
      look_at(load, tenant, id, key, tonumber(state[2]), tonumber(state[3] or '0'),
        tonumber(state[4] or '0'), state[5], tonumber(state[6] or '0'))
    end
  end
end
return cjson.encode({now = ms, queues = queues, states = states})
