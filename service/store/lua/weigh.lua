-- Add up the lengths of what is stored of an object: values, and the names of their fields.
-- KEYS: head, then the parts    ARGV: the field of the head that counts
local bytes = redis.call('HSTRLEN', KEYS[1], ARGV[1])
for i = 2, #KEYS do
  local kind = redis.call('TYPE', KEYS[i]).ok
  if kind == 'string' then
    bytes = bytes + redis.call('STRLEN', KEYS[i])
  elseif kind == 'hash' then
    for _, field in ipairs(redis.call('HKEYS', KEYS[i])) do
      bytes = bytes + #field + redis.call('HSTRLEN', KEYS[i], field)
    end
  end
end
return bytes
