-- Extend a lease; answers whether it is still held, whether the job is to be cancelled, and
-- whether others wait for a worker of this queue.
-- A lease that was given back is not taken again by a beat that was still on its way.
-- KEYS: job, units, holds, leases of the tenant, tenants with jobs
-- ARGV: unit, fence, lease in ms (0 releases it), ms before which nobody shall claim the job,
--   job id, queue, tenant
local lease_until = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not lease_until or tonumber(lease_until) == 0 then
  return {0, 0, 0}
end
if redis.call('HGET', KEYS[3], 'fence:' .. ARGV[1]) ~= ARGV[2] then
  return {0, 0, 0}
end
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
if tonumber(ARGV[3]) > 0 then
  local till = string.format('%.0f', ms + ARGV[3])
  redis.call('ZADD', KEYS[2], till, ARGV[1])
  redis.call('ZADD', KEYS[4], till, ARGV[5] .. '/' .. ARGV[1])
else
  redis.call('ZADD', KEYS[2], 0, ARGV[1])
  redis.call('ZREM', KEYS[4], ARGV[5] .. '/' .. ARGV[1])
  redis.call('HSET', KEYS[1], 'not_before', string.format('%.0f', ms + ARGV[4]))
end
local others = redis.call('ZCARD', 't:' .. ARGV[7] .. ':active:' .. ARGV[6]) > 1
for _, member in ipairs(redis.call('SMEMBERS', KEYS[5])) do
  local queue, tenant = string.match(member, '^([^/]*)/(.*)$')
  others = others or (queue == ARGV[6] and tenant ~= ARGV[7])
end
return {1, tonumber(redis.call('HGET', KEYS[1], 'cancel')), others and 1 or 0}
