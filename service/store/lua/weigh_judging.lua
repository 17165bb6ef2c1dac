-- Count the bytes of a judging: of its record, and of the values and field names of its parts.
-- KEYS: sizes, judging, then its parts    ARGV: id
-- uses: sizes
local bytes = 0
for i = 2, #KEYS do
  local kind = redis.call('TYPE', KEYS[i]).ok
  for _, field in ipairs(kind == 'hash' and redis.call('HKEYS', KEYS[i]) or {}) do
    bytes = bytes + #field + redis.call('HSTRLEN', KEYS[i], field)
  end
end
if redis.call('EXISTS', KEYS[2]) == 1 then
  sizes.put(KEYS[1], ARGV[1], bytes)
end
return bytes
