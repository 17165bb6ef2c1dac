-- Extend a lease; answers whether it is still held and whether the run is to be cancelled.
-- A lease that was given back is not taken again by a beat that was still on its way.
-- KEYS: run    ARGV: epoch, lease in ms (0 releases it), ms before which nobody shall claim it
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then
  return {0, 0}
end
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'running' and status ~= 'finalising' then
  return {0, 0}
end
if redis.call('HGET', KEYS[1], 'lease_until') == '0' then
  return {0, 0}
end
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local lease_until = 0
if tonumber(ARGV[2]) > 0 then
  lease_until = ms + ARGV[2]
end
redis.call('HSET', KEYS[1], 'lease_until', string.format('%.0f', lease_until),
  'not_before', string.format('%.0f', ms + ARGV[3]))
return {1, tonumber(redis.call('HGET', KEYS[1], 'cancel'))}
