-- Append an event to a stream that keeps its newest; one that was sent twice is there once.
-- KEYS: stream, that it is there    ARGV: entries kept, then names and values in turn
if not redis.call('SET', KEYS[2], '1', 'NX', 'EX', 60) then
  return 0
end
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(ARGV, 2))
return 1
