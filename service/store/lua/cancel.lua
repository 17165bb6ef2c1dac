-- Ask a run to stop; one that no worker ever claimed ends here and now.
-- KEYS: run, report, secrets, active set, sizes, rankings    ARGV: report, etag, active member, id
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
  redis.call('SET', KEYS[2], ARGV[1])
  redis.call('HSET', KEYS[5], ARGV[4], bytes)
  redis.call('HSET', KEYS[1], 'status', 'cancelled', 'etag', ARGV[2], 'bytes', bytes,
    'finished_ms', string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)))
  redis.call('UNLINK', KEYS[3], KEYS[6])
  redis.call('ZREM', KEYS[4], ARGV[3])
end
return 'asked'
