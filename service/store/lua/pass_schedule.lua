-- Let a time at which a schedule was due pass without a run.
-- KEYS: schedule, schedules by when they are due, log, counters
-- ARGV: version, when it was due (ms), when it is due next, row of the log, rows that are kept, outcome
-- uses: idempotency, versioned, schedules
if not schedules.stands(KEYS[1], ARGV[1], ARGV[2]) then
  return 'lost'
end
schedules.go_on(KEYS[1], KEYS[2], KEYS[3], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
redis.call('HINCRBY', KEYS[4], 'schedules ' .. ARGV[6] .. ' ', 1)
return ARGV[6]
