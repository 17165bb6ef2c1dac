-- Going on from a time at which a schedule was due: once, whoever comes first.
-- Stands after versioned.
local schedules = {}

-- Tells whether a schedule still is as it was read, and still due then; `due` is empty by hand.
function schedules.stands(schedule, version, due)
  local known = redis.call('HMGET', schedule, 'version', 'next_ms')
  return known[1] == version and (due == '' or known[2] == due)
end

-- Writes down what became of the time, and when it is due next.
function schedules.go_on(schedule, dues, log, due, following, row, kept)
  if due ~= '' then
    redis.call('HSET', schedule, 'next_ms', following)
    redis.call('ZADD', dues, following, schedule)
  end
  versioned.note(log, row, kept)
end
