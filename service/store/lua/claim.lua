-- Grant a run to one worker: raise the epoch and lease it by the server's clock.
-- A job that waits for its hour is granted to nobody, unless it is to be cancelled.
-- A lease that lapsed without being released means that its holder died.
-- An owner that asks again (its reply was lost) is told what it was granted.
-- KEYS: run    ARGV: owner, lease in ms, crashes a run may cause
local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  return {'missing', 0}
end
if status ~= 'queued' and status ~= 'running' and status ~= 'finalising' then
  return {'terminal', 0}
end
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local lease_until = tonumber(redis.call('HGET', KEYS[1], 'lease_until'))
if lease_until > ms then
  if redis.call('HGET', KEYS[1], 'lease_owner') == ARGV[1] then
    return {'claimed', tonumber(redis.call('HGET', KEYS[1], 'epoch'))}
  end
  return {'held', 0}
end
local not_before = tonumber(redis.call('HGET', KEYS[1], 'not_before') or '0')
if not_before > ms and redis.call('HGET', KEYS[1], 'cancel') == '0' then
  return {'early', 0}
end
local crashes = tonumber(redis.call('HGET', KEYS[1], 'crash_count'))
if lease_until > 0 then
  crashes = redis.call('HINCRBY', KEYS[1], 'crash_count', 1)
end
local epoch = redis.call('HINCRBY', KEYS[1], 'epoch', 1)
redis.call('HINCRBY', KEYS[1], 'attempts', 1)
redis.call('HSETNX', KEYS[1], 'started_ms', string.format('%.0f', ms))
redis.call('HSET', KEYS[1], 'status', 'running', 'lease_owner', ARGV[1],
  'lease_until', string.format('%.0f', ms + ARGV[2]))
if crashes > tonumber(ARGV[3]) then
  return {'poisoned', epoch}
end
return {'claimed', epoch}
