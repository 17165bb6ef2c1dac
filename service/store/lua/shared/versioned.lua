-- Records of a team that are written by people, listed by time, and changed by whoever has read them.
-- Stands after idempotency.
local versioned = {}

-- Writes a record, new or changed. `keys`: record, index, idempotency. `args`: id, records a team may
-- have (0: it is not new), version it must have (0: any), idempotency token.
-- Answers a verdict and the id of what was written before, or nothing where the caller may write fields.
function versioned.put(keys, args)
  local verdict, made = recall(keys[3], args[4])
  if verdict then
    return {verdict, made}
  end
  local known = redis.call('HGET', keys[1], 'version')
  if args[2] == '0' and not known then
    return {'missing', ''}
  end
  if args[3] ~= '0' and known ~= args[3] then
    return {'changed', ''}
  end
  if not known and redis.call('ZCARD', keys[2]) >= tonumber(args[2]) then
    return {'full', ''}
  end
  local now = redis.call('TIME')
  local ms = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000))
  redis.call('HSETNX', keys[1], 'created_ms', ms)
  redis.call('HSET', keys[1], 'updated_ms', ms)
  redis.call('HINCRBY', keys[1], 'version', 1)
  redis.call('ZADD', keys[2], 'NX', string.format('%.0f', now[1] * 1000000 + now[2]), args[1])
  remember(keys[3], args[4], args[1])
end

-- Adds a row to a log that keeps its newest; a row is there once.
function versioned.note(log, row, kept)
  local now = redis.call('TIME')
  redis.call('ZADD', log, 'NX', string.format('%.0f', now[1] * 1000000 + now[2]), row)
  redis.call('ZREMRANGEBYRANK', log, 0, -1 - kept)
end
