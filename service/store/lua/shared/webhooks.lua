-- Stands before every script about webhooks, and before those that end a run, which webhooks are told.
-- Of a webhook, `:log` has all deliveries by time, `:due` those that are not done by when to try them
-- (ms), `:event:<id>` is one of them. A webhook is leased as a whole: a slow receiver holds up itself.
local DUE = 't:_:webhooks:due'
local ALERTS_DUE = 't:_:alerts:due'

-- Put a webhook where its next delivery is due: one that is held by when the lease ends, one that is
-- off, or has nothing to deliver, nowhere.
local function arrange(hook, ms)
  local state = redis.call('HMGET', hook, 'enabled', 'lease_until')
  local first = redis.call('ZRANGE', hook .. ':due', 0, 0, 'WITHSCORES')
  if state[1] ~= '1' or not first[1] then
    redis.call('ZREM', DUE, hook)
  elseif tonumber(state[2] or '0') > ms then
    redis.call('ZADD', DUE, state[2], hook)
  else
    redis.call('ZADD', DUE, first[2], hook)
  end
end

-- Let a delivery, new or known, begin now; `fields` are what a new one is about.
local function queue(hook, event, micros, fields)
  local delivery, ms = hook .. ':event:' .. event, math.floor(micros / 1000)
  local at = string.format('%.0f', ms)
  if redis.call('EXISTS', delivery) == 0 then
    redis.call('HSET', delivery, 'created_ms', at, unpack(fields))
    redis.call('ZADD', hook .. ':log', string.format('%.0f', micros), event)
  end
  redis.call('HSET', delivery, 'state', 'pending', 'tries', 0, 'next_ms', at)
  redis.call('ZADD', hook .. ':due', at, event)
  arrange(hook, ms)
end

-- Tell the tenant's webhooks that a run has ended, and let its alerts be evaluated of one that nobody
-- cancelled. The event's id is the run's: a run ends once.
local function announce(run, status, micros)
  local tenant, id = string.match(run, '^t:(.*):run:run_([^:]*)$')
  if not tenant then
    return
  end
  local hooks = redis.call('ZRANGE', 't:' .. tenant .. ':webhooks', 0, -1)
  local alerts = status == 'cancelled' and {} or redis.call('ZRANGE', 't:' .. tenant .. ':alerts', 0, -1)
  if #hooks + #alerts == 0 then
    return
  end
  local read, spec = pcall(cjson.decode, redis.call('HGET', run, 'spec'))
  if not read then  -- a damaged record ends, too; only who hears of all runs hears of it
    spec = {request = {label = ''}, test_set = {id = '', name = ''}}
  end
  local label, test_set, schedule = spec.request.label or '', spec.test_set, spec.schedule or ''
  local function wanted(key)
    local wants = redis.call('HMGET', key, 'enabled', 'label', 'test_set', 'schedule')
    return wants[1] == '1'
      and (wants[2] == '' or wants[2] == label)
      and (wants[3] == '' or wants[3] == test_set.id or wants[3] == test_set.name)
      and (not wants[4] or wants[4] == '' or wants[4] == schedule)
  end
  for _, name in ipairs(hooks) do
    local hook = 't:' .. tenant .. ':wh:' .. name
    local events = redis.call('HGET', hook, 'events') or ''
    if string.find(' ' .. events .. ' ', ' run.' .. status .. ' ', 1, true) and wanted(hook) then
      queue(hook, 'evt_' .. id, micros, {'type', 'run.' .. status, 'run', 'run_' .. id,
        'status', status, 'label', label, 'test_set', test_set.id, 'test_set_name', test_set.name})
    end
  end
  for _, name in ipairs(alerts) do
    local alert = 't:' .. tenant .. ':al:' .. name
    if wanted(alert) then
      redis.call('ZADD', ALERTS_DUE, string.format('%.0f', micros), alert .. ' run_' .. id)
    end
  end
end
