-- Share the connections to one target among all workers: ask for lanes, keep them for a while.
-- KEYS: target    ARGV: holder, lanes wanted, lanes there are, milliseconds they are held (0: give back)
-- Answers how many the holder has now; one is always granted, so that nobody starves.
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
if ARGV[4] == '0' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  return 0
end
local used = 0
local rows = redis.call('HGETALL', KEYS[1])
for i = 1, #rows, 2 do
  local lanes, till = string.match(rows[i + 1], '(%d+) (%d+)')
  if tonumber(till) < ms then
    redis.call('HDEL', KEYS[1], rows[i])
  elseif rows[i] ~= ARGV[1] then
    used = used + lanes
  end
end
local granted = math.max(1, math.min(tonumber(ARGV[2]), ARGV[3] - used))
redis.call('HSET', KEYS[1], ARGV[1], granted .. ' ' .. string.format('%.0f', ms + ARGV[4]))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return granted
