-- Write an alert, new or changed; it begins anew.
-- KEYS: alert, index, idempotency
-- ARGV: id, alerts a tenant may have (0: it is not new), version it must have (0: any), idempotency
--   token, then field and value in turn
-- uses: idempotency, versioned
local refused = versioned.put(KEYS, ARGV)
if refused then
  return refused
end
redis.call('HSET', KEYS[1], 'state', 'unknown', 'failing', 0, 'passing', 0, 'told_ms', '',
  unpack(ARGV, 5))
return {'stored', ARGV[1]}
