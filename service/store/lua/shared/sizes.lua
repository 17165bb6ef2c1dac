-- The bytes of a team's kept objects by object, and their sum, which is made when first asked for.
local sizes = {}

local function add(key, bytes)
  if redis.call('EXISTS', key .. ':total') == 1 then
    redis.call('INCRBY', key .. ':total', string.format('%.0f', bytes))
  end
end

function sizes.total(key)
  local total = redis.call('GET', key .. ':total')
  if not total then
    total = 0
    for _, bytes in ipairs(redis.call('HVALS', key)) do
      total = total + bytes
    end
    if total > 0 then
      redis.call('SET', key .. ':total', string.format('%.0f', total))
    end
  end
  return tonumber(total)
end

function sizes.put(key, id, bytes)
  add(key, bytes - (redis.call('HGET', key, id) or 0))
  redis.call('HSET', key, id, bytes)
end

function sizes.drop(key, id)
  add(key, -(redis.call('HGET', key, id) or 0))
  if redis.call('HDEL', key, id) == 1 and redis.call('EXISTS', key) == 0 then
    redis.call('DEL', key .. ':total')
  end
end
