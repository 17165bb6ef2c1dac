-- Take a job out of the active ones whose record is gone or has ended.
-- KEYS: active jobs, tenants with jobs, leases of the tenant, units, holds
-- ARGV: job id, queue/tenant
redis.call('ZREM', KEYS[1], ARGV[1])
if redis.call('ZCARD', KEYS[1]) == 0 then
  redis.call('SREM', KEYS[2], ARGV[2])
end
for _, unit in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  redis.call('ZREM', KEYS[3], ARGV[1] .. '/' .. unit)
end
redis.call('UNLINK', KEYS[4], KEYS[5])
return 1
