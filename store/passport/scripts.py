"""The Lua scripts. Every change of a conversation is one script, so no reader ever sees half of it.

Each script names all keys it touches in KEYS (cluster rule); checkpoints are stored as `<checkpoint id>\\n<blob>`,
pending writes under `<checkpoint id>\\n<task id>\\n<index>`, so a script finds an id without reading the blob.

OPEN      take the lock in order of arrival or join the queue; with the lock comes the head and its pending writes.
COMMIT    check lock token and head, store checkpoints and writes, trim, expire, and (when asked) release.
RENEW     lengthen the lease, if it is still ours.      LEAVE    give up a place in the queue, or the lock.
READ      checkpoints and writes of a namespace.        DISCARD  drop a namespace whose head is exactly this blob.
DELETE    drop everything of a conversation.            TRIM     keep the newest n.      REMOVE  drop some ids.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class Script:
    """A Lua text with the SHA-1 under which the server caches it."""

    text: str
    sha: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        object.__setattr__(self, "sha", digest)


_NOW: Final = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function ms(value) return string.format('%.0f', value) end
"""

_IDS: Final = """
local function id_of(element)
  local cut = string.find(element, '\\n', 1, true)
  return cut and string.sub(element, 1, cut - 1) or element
end
local function head_of(list)
  local element = redis.call('LINDEX', list, 0)
  return element and id_of(element) or ''
end
local function holds(list, id)
  for _, element in ipairs(redis.call('LRANGE', list, 0, -1)) do
    if id_of(element) == id then return true end
  end
  return false
end
-- Writes of a checkpoint that is no longer listed can never be read again. A write may also arrive before its own
-- checkpoint; ids grow with time, so those above `newest` stay.
local function drop_dead_writes(list, writes, newest)
  if redis.call('HLEN', writes) == 0 then return end
  local kept = {}
  for _, element in ipairs(redis.call('LRANGE', list, 0, -1)) do kept[id_of(element)] = true end
  for _, name in ipairs(redis.call('HKEYS', writes)) do
    local id = id_of(name)
    if not kept[id] and id < newest then redis.call('HDEL', writes, name) end
  end
end
"""

_WAKE: Final = """
local function wake_next(queue, wake)
  local first = redis.call('ZRANGE', queue, 0, 0)[1]
  if first then
    redis.call('XADD', wake, 'MAXLEN', '8', '*', 't', first)
    redis.call('PEXPIRE', wake, 10000)
  end
end
"""

# KEYS lock queue deadlines wake namespaces list writes · ARGV token lease_ms waiter_ms ttl_ms
OPEN: Final = Script(
    _NOW
    + """
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ms(now))) do
  redis.call('ZREM', KEYS[2], dead)
  redis.call('ZREM', KEYS[3], dead)
end
local holder = redis.call('GET', KEYS[1])
local first = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
if (holder and holder ~= ARGV[1]) or (not holder and first and first ~= ARGV[1]) then
  if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
    local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
    redis.call('ZADD', KEYS[2], ms((tonumber(last or '0') or 0) + 1), ARGV[1])
  end
  redis.call('ZADD', KEYS[3], ms(now + ARGV[3]), ARGV[1])
  redis.call('PEXPIRE', KEYS[2], ms(ARGV[3] * 2))
  redis.call('PEXPIRE', KEYS[3], ms(ARGV[3] * 2))
  local seen = redis.call('XREVRANGE', KEYS[4], '+', '-', 'COUNT', '1')[1]
  return {0, redis.call('ZRANK', KEYS[2], ARGV[1]), redis.call('PTTL', KEYS[1]), seen and seen[1] or '0-0'}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
for index = 5, 7 do redis.call('PEXPIRE', KEYS[index], ARGV[4]) end
return {1, redis.call('LINDEX', KEYS[6], 0) or '', redis.call('HGETALL', KEYS[7])}
"""
)

# KEYS lock queue deadlines wake namespaces (list writes)... · ARGV token release ttl_ms keep cas count, then per
# operation seven values: 'P' pair namespace id parent element previous | 'W' pair namespace name value overwrite -
# (`previous`: the parent again, stored as a difference to the new head; empty to leave it as it is)
COMMIT: Final = Script(
    _NOW
    + _IDS
    + _WAKE
    + """
local token, release, ttl, keep, cas = ARGV[1], ARGV[2] == '1', ARGV[3], tonumber(ARGV[4]), ARGV[5] == '1'
local held = token == '' or redis.call('GET', KEYS[1]) == token
local function list_key(pair) return KEYS[4 + 2 * tonumber(pair)] end
local function writes_key(pair) return KEYS[5 + 2 * tonumber(pair)] end
local function let_go()
  if release and token ~= '' and held then
    redis.call('DEL', KEYS[1])
    wake_next(KEYS[2], KEYS[4])
  end
end

local stale = not held and 'lock' or nil
local heads = {}
for at = 7, 6 + 7 * tonumber(ARGV[6]), 7 do
  if ARGV[at] == 'P' then
    local pair, id, parent = ARGV[at + 1], ARGV[at + 3], ARGV[at + 4]
    local known = heads[pair] or head_of(list_key(pair))
    if cas and known ~= parent and known ~= id then stale = stale or 'head' end
    heads[pair] = id
  end
end
if stale then
  -- A client that lost the answer sends the same commit again: what is stored already is no conflict.
  local landed = next(heads) ~= nil
  for pair, id in pairs(heads) do landed = landed and holds(list_key(pair), id) end
  let_go()
  return landed and 'OK' or ('STALE ' .. stale)
end

local expiry = ms(now + ttl)
for at = 7, 6 + 7 * tonumber(ARGV[6]), 7 do
  local pair = ARGV[at + 1]
  local list, writes = list_key(pair), writes_key(pair)
  if ARGV[at] == 'P' then
    local id, parent, element, previous = ARGV[at + 3], ARGV[at + 4], ARGV[at + 5], ARGV[at + 6]
    if head_of(list) == id then
      redis.call('LSET', list, 0, element)
    else
      if previous ~= '' and head_of(list) == parent then redis.call('LSET', list, 0, previous) end
      redis.call('LPUSH', list, element)
    end
    if keep > 0 then
      redis.call('LTRIM', list, 0, keep - 1)
      drop_dead_writes(list, writes, id)
    end
  elseif ARGV[at + 5] == '1' then
    redis.call('HSET', writes, ARGV[at + 3], ARGV[at + 4])
  else
    redis.call('HSETNX', writes, ARGV[at + 3], ARGV[at + 4])
  end
  redis.call('PEXPIRE', list, ttl)
  redis.call('PEXPIRE', writes, ttl)
  redis.call('ZADD', KEYS[5], expiry, 'n:' .. ARGV[at + 2])
end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', ms(now))
redis.call('PEXPIRE', KEYS[5], ttl)
let_go()
return 'OK'
"""
)

# KEYS lock · ARGV token lease_ms
RENEW: Final = Script("""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
""")

# KEYS lock queue deadlines wake · ARGV token
LEAVE: Final = Script(
    _WAKE
    + """
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
if redis.call('EXISTS', KEYS[1]) == 0 then wake_next(KEYS[2], KEYS[4]) end
return 1
"""
)

# KEYS list writes · ARGV 'head' | 'all' | 'id:<id>', which answers that checkpoint as the last after all newer ones,
# because an older one may be stored as a difference to its newer neighbour
READ: Final = Script(
    _IDS
    + """
local found = {}
if ARGV[1] == 'head' then
  found = redis.call('LRANGE', KEYS[1], 0, 0)
else
  local complete = ARGV[1] == 'all'
  for _, element in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
    found[#found + 1] = element
    if 'id:' .. id_of(element) == ARGV[1] then
      complete = true
      break
    end
  end
  if not complete then return {{}, {}} end
end
if #found == 0 then return {found, {}} end
return {found, redis.call('HGETALL', KEYS[2])}
"""
)

# KEYS list writes · ARGV the element that must be the head
DISCARD: Final = Script("""
local element = redis.call('LINDEX', KEYS[1], 0)
if element and element ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
return 1
""")

# KEYS lock queue deadlines wake namespaces (list writes)... · ARGV namespaces whose pairs are given.
# The queue stays: the turns that wait keep their order, and it holds random tokens only.
DELETE: Final = Script(
    _WAKE
    + """
local given = {}
for _, name in ipairs(ARGV) do given['n:' .. name] = true end
local members = redis.call('ZRANGE', KEYS[5], 0, -1)
for _, member in ipairs(members) do
  if not given[member] then return members end
end
for index = 5, #KEYS do redis.call('DEL', KEYS[index]) end
redis.call('DEL', KEYS[1], KEYS[4])
wake_next(KEYS[2], KEYS[4])
return {}
"""
)

# KEYS list writes · ARGV how many to keep
TRIM: Final = Script(
    _IDS
    + """
redis.call('LTRIM', KEYS[1], 0, ARGV[1] - 1)
drop_dead_writes(KEYS[1], KEYS[2], head_of(KEYS[1]))
return 1
"""
)

# KEYS list writes · ARGV checkpoint ids
REMOVE: Final = Script(
    _IDS
    + """
local gone = {}
for _, id in ipairs(ARGV) do gone[id] = true end
for _, element in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  if gone[id_of(element)] then redis.call('LREM', KEYS[1], 1, element) end
end
for _, name in ipairs(redis.call('HKEYS', KEYS[2])) do
  if gone[id_of(name)] then redis.call('HDEL', KEYS[2], name) end
end
return 1
"""
)
