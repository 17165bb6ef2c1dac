-- Tell a team's limits and what it uses of each, as JSON.
-- KEYS: test sets, sizes    ARGV: tenant, limits of the deployment
-- uses: sizes, quotas
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local tenant = ARGV[1]
local _, worked_on = quotas.worked_on(tenant, ms)
local waiting, to_come = quotas.waiting(tenant, ms)
local used = {
  concurrent_runs = worked_on,
  queued_runs = waiting,
  queries_per_day = quotas.spent(tenant, 'queries_per_day', now[1]),
  requests_per_day = quotas.spent(tenant, 'requests_per_day', now[1]),
  stored_bytes = sizes.total(KEYS[2]) + to_come,
  test_sets = redis.call('ZCARD', KEYS[1]),
}

local function exact(numbers)  -- cjson rounds large ones
  local words = {}
  for name, number in pairs(numbers) do
    words[name] = string.format('%.0f', number)
  end
  return words
end

return cjson.encode({
  now_s = tonumber(now[1]),
  limits = exact(quotas.limits(tenant, ARGV[2])),
  used = exact(used),
})
