-- Ask a run to stop; one that no worker ever claimed ends here and now.
-- KEYS: run, units, holds, report, secrets, active jobs, tenants with jobs, sizes, rankings,
--   counters
-- ARGV: report, etag, run id, queue/tenant
-- uses: sizes, webhooks
local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  return 'missing'
end
if status ~= 'queued' and status ~= 'running' and status ~= 'finalising' then
  return 'terminal'
end
redis.call('HSET', KEYS[1], 'cancel', 1)
if status == 'queued' and redis.call('HGET', KEYS[1], 'epoch') == '0' then
  local now = redis.call('TIME')
  local bytes = redis.call('HSTRLEN', KEYS[1], 'spec') + #ARGV[1]
  announce(KEYS[1], 'cancelled', now[1] * 1000000 + now[2])
  redis.call('SET', KEYS[4], ARGV[1])
  sizes.put(KEYS[8], ARGV[3], bytes)
  redis.call('HSET', KEYS[1], 'status', 'cancelled', 'etag', ARGV[2], 'bytes', bytes,
    'finished_ms', string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)))
  redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[5], KEYS[9])
  redis.call('HINCRBY', KEYS[10], 'jobs_ended run/cancelled ', 1)
  redis.call('ZREM', KEYS[6], ARGV[3])
  if redis.call('ZCARD', KEYS[6]) == 0 then
    redis.call('SREM', KEYS[7], ARGV[4])
  end
end
return 'asked'
