#!lua flags=allow-oom
-- Take requests of a key and of its team's day, as many as are asked for where there are plenty, and
-- fewer as they run out. Those of a key come back evenly (GCRA): `rate_window_s` after the last was
-- taken it has all `rate_requests` again. Runs with a full store, too: reading goes on then.
-- KEYS: what the key took, the team's own limits
-- ARGV: requests in a window, seconds of it, requests a day (each 0: no limit), how many are wanted,
--   how many of those taken before were not used, tenant (empty: no day counts)
-- uses: quotas
-- Answers how many were granted (0: none are left); of the key its requests, the window, what is left
-- and the milliseconds until all are back and until the next is; of the day its limit and what was
-- spent before; the server's seconds.
local now = redis.call('TIME')
local micros = now[1] * 1000000 + now[2]
local own = redis.call('HMGET', KEYS[2], 'rate_requests', 'rate_window_s', 'requests_per_day')
local requests, window = tonumber(own[1] or ARGV[1]), tonumber(own[2] or ARGV[2]) * 1000000
local granted, back, tenant = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local share = 16  -- of what is left, the part that is given away at once

local taken, gap, left = micros, 0, granted
if requests > 0 then
  gap = window / requests
  taken = math.max(micros, tonumber(redis.call('GET', KEYS[1]) or '0') - back * gap)
  left = math.floor((micros + window - taken) / gap + 0.000001)
  granted = math.min(granted, left, math.max(1, math.floor(left / share)))
end

local daily = tenant == '' and 0 or tonumber(own[3] or ARGV[3])
local spent = quotas.spent(tenant, 'requests_per_day', now[1])
local unused = math.min(back, spent)
if daily > 0 then
  local free = daily - spent + unused
  granted = math.max(0, math.min(granted, free, math.max(1, math.floor(free / share))))
end

if granted > 0 and requests > 0 then
  taken = taken + granted * gap
  left = left - granted
  redis.call('SET', KEYS[1], string.format('%.0f', taken), 'PX', math.ceil((taken - micros) / 1000))
end
if granted > 0 and tenant ~= '' then
  quotas.spend(tenant, 'requests_per_day', granted - unused, now[1])
end
return {granted, requests, window / 1000000, left, math.ceil((taken - micros) / 1000),
  math.ceil(math.max(0, taken + gap - window - micros) / 1000), daily, spent,
  tonumber(now[1])}
