-- Take up an idempotency key: answer what was answered before, or let one caller at a time work.
-- Once something was made, anyone may go on: the creating script answers what it made.
-- KEYS: entry    ARGV: fingerprint, token, lease in ms, milliseconds the entry lives
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local known = redis.call('HMGET', KEYS[1], 'fingerprint', 'token', 'until', 'made', 'answer')
if known[1] and known[1] ~= ARGV[1] then
  return {'mismatch', ''}
end
if known[5] then
  return {'answered', known[5]}
end
if known[1] and not known[4] and known[2] ~= ARGV[2] and tonumber(known[3]) > ms then
  return {'busy', ''}
end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'token', ARGV[2],
  'until', string.format('%.0f', ms + ARGV[3]))
if not known[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return {'held', ''}
