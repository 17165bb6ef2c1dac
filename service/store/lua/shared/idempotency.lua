-- Stands before every script that creates something on behalf of an idempotency key.
-- The key's entry: fingerprint of the request, token of who is at it, until (lease in ms),
-- made (id of what was created), answer. Without a key the token is empty.

-- Tell what stands in the way of creating: 'made' and an id, or 'lost' to whoever came later.
local function recall(entry, token)
  if token == '' then
    return nil, nil
  end
  local made = redis.call('HGET', entry, 'made')
  if made then
    return 'made', made
  end
  if redis.call('HGET', entry, 'token') ~= token then
    return 'lost', ''
  end
  return nil, nil
end

local function remember(entry, token, id)
  if token ~= '' then
    redis.call('HSET', entry, 'made', id)
  end
end

