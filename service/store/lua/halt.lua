-- Take a job away from all its other holders, so that one can end it alone.
-- KEYS: units, holds, leases of the tenant    ARGV: unit, fence, job id
if not redis.call('ZSCORE', KEYS[1], ARGV[1])
  or redis.call('HGET', KEYS[2], 'fence:' .. ARGV[1]) ~= ARGV[2] then
  return 0
end
for _, unit in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if unit ~= ARGV[1] then
    redis.call('ZREM', KEYS[1], unit)
    redis.call('ZREM', KEYS[3], ARGV[3] .. '/' .. unit)
  end
end
return 1
