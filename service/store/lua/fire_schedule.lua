-- Start the run of a schedule and go on to its next time, both or neither; the second who comes is late.
-- KEYS: schedule, schedules by when they are due, log, counters, idempotency, then of the run as in
--   `runs.create`, the run first
-- ARGV: version, when it was due (ms; empty: it is started by hand), when it is due next, row of the
--   log, rows that are kept, idempotency token, row where the last run has not ended (empty: let them
--   overlap), key of a run up to its id, then of the run as in `runs.create`, its id first
-- uses: sizes, quotas, runs, idempotency, versioned, schedules
if redis.call('EXISTS', KEYS[6]) == 1 then
  return {'started', ARGV[9]}
end
local verdict, made = recall(KEYS[5], ARGV[6])
if verdict then
  return {verdict, made}
end
if not schedules.stands(KEYS[1], ARGV[1], ARGV[2]) then
  return {'late', ''}
end
local last = redis.call('HGET', KEYS[1], 'last_run')
local status = last and redis.call('HGET', ARGV[8] .. last, 'status')
local at_work = status == 'queued' or status == 'running' or status == 'finalising'
if at_work and ARGV[7] ~= '' then
  schedules.go_on(KEYS[1], KEYS[2], KEYS[3], ARGV[2], ARGV[3], ARGV[7], ARGV[5])
  redis.call('HINCRBY', KEYS[4], 'schedules overlapped ', 1)
  return {'overlapped', last}
end
local refused = runs.create({unpack(KEYS, 6)}, {unpack(ARGV, 9)})
if refused then
  return refused
end
schedules.go_on(KEYS[1], KEYS[2], KEYS[3], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
redis.call('HSET', KEYS[1], 'last_run', ARGV[9])
redis.call('HINCRBY', KEYS[4], 'schedules started ', 1)
remember(KEYS[5], ARGV[6], ARGV[9])
return {'started', ARGV[9]}
