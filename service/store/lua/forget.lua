-- Take a job out of the active ones whose record is gone or has ended.
-- KEYS: active jobs, tenants with jobs    ARGV: job id, queue/tenant
redis.call('ZREM', KEYS[1], ARGV[1])
if redis.call('ZCARD', KEYS[1]) == 0 then
  redis.call('SREM', KEYS[2], ARGV[2])
end
return 1
