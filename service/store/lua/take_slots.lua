-- Reserve the next starts of requests to one target, evenly spaced by the server's clock.
-- KEYS: target    ARGV: slots wanted, gap in microseconds, how far ahead slots may lie in microseconds
-- Answers how many were granted, and microseconds from now to the first.
local now = redis.call('TIME')
local micros = now[1] * 1000000 + now[2]
local free = tonumber(redis.call('GET', KEYS[1]) or '0')
if free < micros then
  free = micros
end
local wait = free - micros
local room = math.floor((tonumber(ARGV[3]) - wait) / ARGV[2]) + 1
local granted = math.min(tonumber(ARGV[1]), math.max(room, 0))
if granted == 0 then
  return {0, wait - ARGV[3]}
end
local following = free + granted * ARGV[2]
redis.call('SET', KEYS[1], string.format('%.0f', following), 'PX',
  math.floor((following - micros) / 1000) + 10000)
return {granted, wait}
