-- Share the connections to one target, or of one run, among all who use it: ask for lanes, keep
-- them for a while. Everybody gets what is wanted, or an even share where that is too much.
-- KEYS: target    ARGV: holder, lanes wanted, lanes there are, milliseconds they are held (0: give back)
-- Answers how many the holder has now; one is always granted, so that nobody starves.
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
if ARGV[4] == '0' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  return 0
end
local used, wants = 0, {tonumber(ARGV[2])}
local rows = redis.call('HGETALL', KEYS[1])
for i = 1, #rows, 2 do
  local lanes, wanted, till = string.match(rows[i + 1], '(%d+) (%d+) (%d+)')
  if tonumber(till) < ms then
    redis.call('HDEL', KEYS[1], rows[i])
  elseif rows[i] ~= ARGV[1] then
    used = used + lanes
    table.insert(wants, tonumber(wanted))
  end
end
-- The even share: those who want less leave the rest to the others.
local share, left, users = 0, tonumber(ARGV[3]), #wants
table.sort(wants)
for place, wanted in ipairs(wants) do
  share = math.max(wanted, 0)
  if wanted * (users - place + 1) >= left then
    share = math.ceil(left / (users - place + 1))
    break
  end
  left = left - wanted
end
local granted = math.max(1, math.min(tonumber(ARGV[2]), share, ARGV[3] - used))
redis.call('HSET', KEYS[1], ARGV[1],
  granted .. ' ' .. ARGV[2] .. ' ' .. string.format('%.0f', ms + ARGV[4]))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return granted
