-- What every object goes through that a backup brings back.
-- Stands after sizes and quotas.
local restoring = {}

-- Refuse more bytes than a team may store; nil if they fit.
function restoring.refuse(sizes_key, tenant, limits, bytes)
  local _, to_come = quotas.waiting(tenant, redis.call('TIME')[1] * 1000)
  return quotas.refuse(limits, 'stored_bytes', sizes.total(sizes_key) + to_come, tonumber(bytes))
end

-- Make staged parts lasting: KEYS from `first` on are the staged and the final key of each.
function restoring.take(first)
  for i = first, #KEYS, 2 do
    if redis.call('EXISTS', KEYS[i]) == 1 then
      redis.call('RENAME', KEYS[i], KEYS[i + 1])
      redis.call('PERSIST', KEYS[i + 1])
    end
  end
end
