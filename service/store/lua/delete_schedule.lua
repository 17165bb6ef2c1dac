-- Delete a schedule; what became of its times is kept for a while.
-- KEYS: schedule, index, schedules by when they are due, log    ARGV: id, seconds to keep the log
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], KEYS[1])
if redis.call('UNLINK', KEYS[1]) == 0 then
  return 'missing'
end
redis.call('EXPIRE', KEYS[4], ARGV[2])
return 'deleted'
