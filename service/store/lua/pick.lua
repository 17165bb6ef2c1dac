-- Find the job whose turn it is: of the tenant with the fewest leases, then the one served least
-- recently. Within a tenant a job of one shard goes before larger ones, then the oldest.
-- KEYS: tenants with jobs that have not ended, turns    ARGV: queue, schema, jobs of a tenant to look at
-- Answers tenant and job id, or nothing. A job whose keys cannot be read is in nobody's way; neither
-- is a run that has to wait for others of its team.
-- uses: quotas
local now = redis.call('TIME')
local moment = now[1] * 1000 + math.floor(now[2] / 1000)
local ms = string.format('%.0f', moment)

local function claimable(tenant, id, key)
  local job = redis.call('HMGET', key, 'schema', 'not_before', 'cancel', 'workers', 'at_once')
  if not job[1] or tonumber(job[1]) > tonumber(ARGV[2]) then
    return false
  end
  if job[3] ~= '1' and tonumber(job[2] or '0') > tonumber(ms) then
    return false
  end
  local workers = tonumber(job[4] or '0')
  if workers > 0 and redis.call('ZCOUNT', key .. ':units', '(' .. ms, '+inf') >= workers then
    return false
  end
  if job[3] ~= '1' and quotas.hold_back(tenant, id, tonumber(job[5] or '0'), moment) then
    return false
  end
  return redis.call('ZCOUNT', key .. ':units', '-inf', ms) > 0
end

local tenants = {}
for _, member in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local queue, tenant = string.match(member, '^([^/]*)/(.*)$')
  if queue == ARGV[1] then
    table.insert(tenants, {
      name = tenant,
      held = redis.call('ZCOUNT', 't:' .. tenant .. ':leases', '(' .. ms, '+inf'),
      turn = tonumber(redis.call('HGET', KEYS[2], member) or '0'),
    })
  end
end
table.sort(tenants, function(one, other)
  if one.held ~= other.held then
    return one.held < other.held
  end
  if one.turn ~= other.turn then
    return one.turn < other.turn
  end
  return one.name < other.name
end)
for _, tenant in ipairs(tenants) do
  local first
  local jobs = redis.call('ZRANGE', 't:' .. tenant.name .. ':active:' .. ARGV[1], 0, ARGV[3] - 1)
  for _, job in ipairs(jobs) do
    local key = 't:' .. tenant.name .. ':' .. string.match(job, '^[^_]*') .. ':' .. job
    local readable, due = pcall(claimable, tenant.name, job, key)
    if readable and due then
      if redis.call('HGET', key, 'small') == '1' then
        return {tenant.name, job}
      end
      first = first or job
    end
  end
  if first then
    return {tenant.name, first}
  end
end
return {}
