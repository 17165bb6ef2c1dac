-- Delete a comparison that has ended.
-- KEYS: comparison, report, contents, times, sizes    ARGV: id
-- uses: sizes
local status, content = unpack(redis.call('HMGET', KEYS[1], 'status', 'content'))
if not status then
  redis.call('ZREM', KEYS[4], ARGV[1])
  return 'missing'
end
if status == 'queued' or status == 'running' or status == 'finalising' then
  return 'active'
end
redis.call('UNLINK', KEYS[1], KEYS[2])
if redis.call('HGET', KEYS[3], content) == ARGV[1] then
  redis.call('HDEL', KEYS[3], content)
end
redis.call('ZREM', KEYS[4], ARGV[1])
sizes.drop(KEYS[5], ARGV[1])
return 'deleted'
