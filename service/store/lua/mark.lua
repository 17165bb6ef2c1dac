-- Set a field of a run that is there; without a value, to the server's time in milliseconds.
-- KEYS: run    ARGV: field, value
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 'missing'
end
local value = ARGV[2]
if value == '' then
  local now = redis.call('TIME')
  value = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000))
end
redis.call('HSET', KEYS[1], ARGV[1], value)
return 'marked'
