-- Find the grant by which a team may read an object of another one: of the object itself, or of
-- the label that the run has. Looks at the same keys whether the object exists or not.
-- KEYS: received by the team, received by everyone    ARGV: what is asked for, the run's id or ''
-- Answers the grant, or nothing.
for _, key in ipairs(KEYS) do
  local grant = redis.call('HGET', key, ARGV[1])
  if grant then
    return grant
  end
end
if ARGV[2] == '' then
  return false
end
local found = false
for _, key in ipairs(KEYS) do
  local specs = {}
  local received = redis.call('HGETALL', key)
  for i = 1, #received, 2 do
    local owner, label = string.match(received[i], '^label:([^/]*)/(.*)$')
    if owner then
      if specs[owner] == nil then
        specs[owner] = redis.call('HGET', 't:' .. owner .. ':run:' .. ARGV[2], 'spec')
      end
      if specs[owner] and cjson.decode(specs[owner]).request.label == label then
        found = found or received[i + 1]
      end
    end
  end
end
return found
