-- End a job whose stored state cannot be read, whoever holds it.
-- KEYS: job, units, holds, report, secrets, active jobs, tenants with jobs, counters
-- ARGV: job id, queue/tenant, report (empty: none), etag
-- uses: webhooks
redis.call('ZREM', KEYS[6], ARGV[1])
if redis.call('ZCARD', KEYS[6]) == 0 then
  redis.call('SREM', KEYS[7], ARGV[2])
end
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[5])
if redis.call('TYPE', KEYS[1])['ok'] ~= 'hash' then
  return 'unmarked'
end
local status = redis.call('HGET', KEYS[1], 'status')
for _, ended in ipairs({'completed', 'completed_with_errors', 'failed', 'cancelled'}) do
  if status == ended then
    return 'ended'
  end
end
local now = redis.call('TIME')
announce(KEYS[1], 'failed', now[1] * 1000000 + now[2])
if ARGV[3] ~= '' then
  redis.call('SET', KEYS[4], ARGV[3])
end
redis.call('HSET', KEYS[1], 'status', 'failed', 'error', 'corrupt_record', 'etag', ARGV[4],
  'finished_ms', string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)))
redis.call('HINCRBY', KEYS[8],
  'jobs_ended ' .. string.match(ARGV[1], '^[^_]*') .. '/failed ', 1)
return 'condemned'
