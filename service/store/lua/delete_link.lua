-- Close links to a run; those of another run stay open.
-- KEYS: links of the run, then links    ARGV: their ids
local closed = 0
for i, id in ipairs(ARGV) do
  if redis.call('HDEL', KEYS[1], id) == 1 then
    redis.call('UNLINK', KEYS[i + 1])
    closed = closed + 1
  end
end
return closed
