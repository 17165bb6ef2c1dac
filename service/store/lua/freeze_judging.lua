-- Close a judging for good, if nothing was written since it was read.
-- KEYS: judging    ARGV: revision that was read, the set it became
local state, revision, frozen = unpack(redis.call('HMGET', KEYS[1], 'state', 'revision', 'frozen'))
if not state then
  return 'missing'
end
if state == 'frozen' then
  return frozen == ARGV[2] and 'closed' or 'frozen'
end
if revision ~= ARGV[1] then
  return 'changed'
end
redis.call('HSET', KEYS[1], 'state', 'frozen', 'frozen', ARGV[2])
redis.call('HDEL', KEYS[1], 'sealed')
return 'closed'
