-- Delete a saved endpoint; runs keep the copy they were made with.
-- KEYS: endpoint, index, names    ARGV: id
local name = redis.call('HGET', KEYS[1], 'name')
if not name then
  return 'missing'
end
redis.call('UNLINK', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], name)
return 'deleted'
