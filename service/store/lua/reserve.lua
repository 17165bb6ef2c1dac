-- Set bytes aside for a run that is about to start, if the store has that many left.
-- What a run under way still needs shrinks from `need` to `kept` as its requests are done; entries
-- of runs that have ended, or did not come to be within a minute, are dropped.
-- KEYS: reserved    ARGV: member, key of the run, need, kept, bytes left
-- Answers 1 if they were, and the bytes that were left for the run.
local now = redis.call('TIME')
local left = tonumber(ARGV[5])
local rows = redis.call('HGETALL', KEYS[1])
for i = 1, #rows, 2 do
  local need, kept, since, run = string.match(rows[i + 1], '^(%d+) (%d+) (%d+) (.*)$')
  local state = redis.call('HMGET', run, 'status', 'done', 'total')
  local status = state[1]
  if status == 'queued' or status == 'running' or status == 'finalising' then
    local share = tonumber(state[2]) / math.max(1, tonumber(state[3]))
    left = left - (need - (need - kept) * math.min(1, share))
  elseif status or now[1] - since > 60 then
    redis.call('HDEL', KEYS[1], rows[i])
  elseif rows[i] ~= ARGV[1] then
    left = left - need
  end
end
left = math.floor(left)
if left < tonumber(ARGV[3]) then
  return {0, left}
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3] .. ' ' .. ARGV[4] .. ' ' .. now[1] .. ' ' .. ARGV[2])
return {1, left}
