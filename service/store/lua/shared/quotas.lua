-- What a team may use and what it does use: the same sums where it is refused and where it is told.
-- Limits are a JSON object from the name of a quota to its value, 0: no limit; a team's own ones go
-- before them. A quota that the object does not name is not in force.
local quotas = {}

function quotas.limits(tenant, defaults)
  local limits = cjson.decode(defaults)
  local own = redis.call('HGETALL', 't:' .. tenant .. ':limits')
  for i = 1, #own, 2 do
    if limits[own[i]] then
      limits[own[i]] = tonumber(own[i + 1])
    end
  end
  return limits
end

-- Answers the runs that a worker holds a unit of, and how many they are.
function quotas.worked_on(tenant, ms)
  local runs, count = {}, 0
  local above = '(' .. string.format('%.0f', ms)
  for _, held in ipairs(redis.call('ZRANGEBYSCORE', 't:' .. tenant .. ':leases', above, '+inf')) do
    local run = string.match(held, '^(run_.*)/')
    if run and not runs[run] then
      runs[run] = true
      count = count + 1
    end
  end
  return runs, count
end

-- Tells whether a run has to wait for others of its team: no more are worked on than `at_once`.
function quotas.hold_back(tenant, run, at_once, ms)
  if at_once == 0 then
    return false
  end
  local runs, count = quotas.worked_on(tenant, ms)
  return not runs[run] and count >= at_once
end

-- Answers how many runs have not ended without being worked on, and the bytes that all runs which
-- have not ended may come to keep.
function quotas.waiting(tenant, ms)
  local worked_on = quotas.worked_on(tenant, ms)
  local count, bytes = 0, 0
  for _, queue in ipairs({'runs', 'interactive'}) do
    for _, job in ipairs(redis.call('ZRANGE', 't:' .. tenant .. ':active:' .. queue, 0, -1)) do
      if string.sub(job, 1, 4) == 'run_' then
        count = count + (worked_on[job] and 0 or 1)
        bytes = bytes + (redis.call('HGET', 't:' .. tenant .. ':run:' .. job, 'to_keep') or 0)
      end
    end
  end
  return count, bytes
end

-- Answers how much of something was spent on the day of the server's clock, which is UTC.
function quotas.spent(tenant, name, seconds)
  local day, spent = unpack(redis.call('HMGET', 't:' .. tenant .. ':spent', 'day', name))
  return day == string.format('%.0f', math.floor(seconds / 86400)) and tonumber(spent or '0') or 0
end

function quotas.spend(tenant, name, amount, seconds)
  if tonumber(amount) == 0 then
    return
  end
  local key = 't:' .. tenant .. ':spent'
  local day = string.format('%.0f', math.floor(seconds / 86400))
  if redis.call('HGET', key, 'day') ~= day then
    redis.call('DEL', key)
    redis.call('HSET', key, 'day', day)
    redis.call('EXPIRE', key, 172800)
  end
  redis.call('HINCRBY', key, name, amount)
end

-- Answers nothing where there is room, else what to tell the caller.
function quotas.refuse(limits, name, used, asked)
  local limit = limits[name] or 0
  if limit > 0 and used + asked > limit then
    return {'quota', name, limit, used, asked, tonumber(redis.call('TIME')[1])}
  end
end
