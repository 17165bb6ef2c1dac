-- Grant a unit of a job to one worker: raise the epoch and lease it by the server's clock.
-- A job that waits for its hour is granted to nobody, unless it is to be cancelled; neither is one
-- that a newer release made, or a run while its team has as many worked on as it may.
-- Of a cancelled job, shards that nobody holds are dropped.
-- A lease that lapsed without being released means that its holder died.
-- An owner that asks again (its reply was lost) is told what it was granted.
-- KEYS: job, units, holds, leases of the tenant, turns, counters
-- ARGV: owner, lease in ms, crashes a unit may cause, schema, tenant, job id
-- uses: quotas
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'queued' and status ~= 'running' and status ~= 'finalising' then
  return {status and 'terminal' or 'missing'}
end
if tonumber(redis.call('HGET', KEYS[1], 'schema')) > tonumber(ARGV[4]) then
  return {'newer'}
end
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local queue = redis.call('HGET', KEYS[1], 'queue')

local function grant(verdict, epoch, unit)
  return {verdict, epoch, unit, tonumber(redis.call('HGET', KEYS[3], 'sent:' .. unit) or '0'), queue}
end

local held = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. string.format('%.0f', ms), '+inf')
for _, unit in ipairs(held) do
  local epoch, owner = string.match(redis.call('HGET', KEYS[3], 'fence:' .. unit), '^(%d+):(.*)$')
  if owner == ARGV[1] then
    return grant('claimed', tonumber(epoch), unit)
  end
end
local cancelled = redis.call('HGET', KEYS[1], 'cancel') == '1'
if tonumber(redis.call('HGET', KEYS[1], 'not_before') or '0') > ms and not cancelled then
  return {'early'}
end
local workers = tonumber(redis.call('HGET', KEYS[1], 'workers') or '0')
if workers > 0 and #held >= workers then
  return {'held'}
end
local at_once = tonumber(redis.call('HGET', KEYS[1], 'at_once') or '0')
if not cancelled and quotas.hold_back(ARGV[5], ARGV[6], at_once, ms) then
  return {'full'}
end
local free = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', ms))
if cancelled then
  for _, unit in ipairs(free) do
    if string.match(unit, '^%d') then
      redis.call('ZREM', KEYS[2], unit)
      redis.call('ZREM', KEYS[4], ARGV[6] .. '/' .. unit)
    end
  end
  if redis.call('ZCARD', KEYS[2]) == 0 then
    redis.call('ZADD', KEYS[2], 0, 'end')
    redis.call('HSET', KEYS[1], 'status', 'finalising')
  end
  free = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', ms))
end
local unit = free[1]
if not unit then
  return {'held'}
end
local crashes = tonumber(redis.call('HGET', KEYS[3], 'crashes:' .. unit) or '0')
if tonumber(redis.call('ZSCORE', KEYS[2], unit)) > 0 then
  crashes = redis.call('HINCRBY', KEYS[3], 'crashes:' .. unit, 1)
  redis.call('HINCRBY', KEYS[1], 'crash_count', 1)
  redis.call('HINCRBY', KEYS[6], 'lease_losses lapsed ', 1)
end
local epoch = redis.call('HINCRBY', KEYS[1], 'epoch', 1)
local claims = redis.call('HINCRBY', KEYS[3], 'claims:' .. unit, 1)
if claims > tonumber(redis.call('HGET', KEYS[1], 'attempts')) then
  redis.call('HSET', KEYS[1], 'attempts', claims)
end
local till = string.format('%.0f', ms + ARGV[2])
redis.call('HSET', KEYS[3], 'fence:' .. unit, string.format('%.0f', epoch) .. ':' .. ARGV[1])
redis.call('ZADD', KEYS[2], till, unit)
redis.call('ZADD', KEYS[4], till, ARGV[6] .. '/' .. unit)
redis.call('HSET', KEYS[5], queue .. '/' .. ARGV[5], string.format('%.0f', now[1] * 1000000 + now[2]))
redis.call('HSETNX', KEYS[1], 'started_ms', string.format('%.0f', ms))
if status == 'queued' then
  redis.call('HSET', KEYS[1], 'status', 'running')
end
return grant(crashes >= tonumber(ARGV[3]) and 'poisoned' or 'claimed', epoch, unit)
