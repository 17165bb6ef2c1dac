-- Queue a job of a judging, at most one at a time that changes it.
-- KEYS: idempotency, job, active jobs, secrets, units, tenants with jobs, judging
-- ARGV: idempotency token, then id, queue/tenant, spec, sealed secrets, queue, seconds
--   to keep, schema, limits of the team, requests it will send, and the judging's fields to write: field
--   and value in turn; without any, the job changes nothing
-- uses: quotas, idempotency, errands
if redis.call('EXISTS', KEYS[2]) == 1 then
  return {'begun', ARGV[2]}
end
local verdict, made = recall(KEYS[1], ARGV[1])
if verdict then
  return {verdict, made}
end
local state, job = unpack(redis.call('HMGET', KEYS[7], 'state', 'job'))
if not state then
  return {'missing', ''}
end
if #ARGV > 10 then
  if state == 'frozen' then
    return {'frozen', ''}
  end
  local status = job and redis.call('HGET', string.match(KEYS[2], '^(.*:)') .. job, 'status')
  if status == 'queued' or status == 'running' then
    return {'busy', job}
  end
end
local refused = queue_errand({unpack(KEYS, 2, 6)}, {unpack(ARGV, 2, 10)})
if refused then
  return refused
end
if #ARGV > 10 then
  redis.call('HSET', KEYS[7], 'job', ARGV[2], 'error', '', unpack(ARGV, 11))
  redis.call('HINCRBY', KEYS[7], 'revision', 1)
end
remember(KEYS[1], ARGV[1], ARGV[2])
return {'begun', ARGV[2]}
