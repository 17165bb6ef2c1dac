-- Write down what an alert found of a run, what that makes of its state, and whom to tell: once.
-- KEYS: alert, log, what is not evaluated yet, counters, then the webhooks to tell
-- ARGV: what is evaluated, version, what it speaks for (failing, passing, neither), what was found,
--   failing runs in a row to fail, passing ones to recover, ms of quiet, rows that are kept, event id,
--   its types when it fails and when it has recovered, then field and value of the event in turn
-- uses: idempotency, versioned, webhooks
local known = redis.call('HMGET', KEYS[1], 'version', 'state', 'failing', 'passing', 'told_ms')
if known[1] ~= ARGV[2] then
  return 'changed'
end
if redis.call('ZREM', KEYS[3], ARGV[1]) == 0 then
  return 'lost'
end
local now = redis.call('TIME')
local micros = now[1] * 1000000 + now[2]
local ms = math.floor(micros / 1000)
local state, failing, passing = known[2], tonumber(known[3]), tonumber(known[4])
local tell = ''
if ARGV[3] == 'failing' then
  failing, passing = failing + 1, 0
  if failing >= tonumber(ARGV[5]) then
    state = 'failing'
    if known[5] == '' or ms - known[5] >= tonumber(ARGV[7]) then
      tell = ARGV[10]
      redis.call('HSET', KEYS[1], 'told_ms', string.format('%.0f', ms))
    end
  end
elseif ARGV[3] == 'passing' then
  failing, passing = 0, passing + 1
  if passing >= tonumber(ARGV[6]) then
    tell = state == 'failing' and ARGV[11] or ''
    state = 'ok'
  end
end
redis.call('HSET', KEYS[1], 'state', state, 'failing', failing, 'passing', passing)
local told = {}
for at = 5, tell == '' and 4 or #KEYS do
  if redis.call('HGET', KEYS[at], 'enabled') == '1' then
    queue(KEYS[at], ARGV[9], micros, {'type', tell, unpack(ARGV, 12)})
    told[#told + 1] = string.match(KEYS[at], '[^:]*$')
  end
end
versioned.note(KEYS[2],
  state .. ' ' .. tell .. ' ' .. table.concat(told, ',') .. ' ' .. ARGV[4], ARGV[8])
redis.call('HINCRBY', KEYS[4], 'alerts ' .. ARGV[3] .. '/' .. (tell == '' and 'quiet' or 'told') .. ' ', 1)
return 'settled'
