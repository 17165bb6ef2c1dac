-- Ask a job of a judging to stop; whoever works on it, or takes it next, sees that.
-- KEYS: job
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'queued' and status ~= 'running' then
  return 'terminal'
end
redis.call('HSET', KEYS[1], 'cancel', 1)
return 'asked'
