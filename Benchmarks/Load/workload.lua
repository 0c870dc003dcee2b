-- The requests of one workload for wrk. WORKLOAD is its name, TOKEN the access token, ROWS the number of sessions, BODY the
-- body of the workload `body`. With CHECK set, every answer is compared with its request, which costs wrk some of its speed;
-- the id of a request says what it asked for. Each thread has its own random seed.
local workload, token, rows = os.getenv("WORKLOAD"), os.getenv("TOKEN"), tonumber(os.getenv("ROWS"))
local checked = os.getenv("CHECK") == "1"
local fields = "id module date debut fin modalite lieu tarif_client tarif_sous_traitant frais_rembourser ref_contrat "
  .. "ecole_id client_id formateur_id created_at updated_at version"
local nested = "{ " .. fields .. " formateur { nom prenom } client { raison_sociale } ecole { nom } }"

local frequent = {"Sécurité", "postgres", "Paris", "dupré", "Élodie", "groupe", "excel", "martin"}
local absent = {"bordeaux", "quartz", "zeppelin", "kubernetes"}
local short = {"zo", "xy", "ly", "qz"}

-- W4's words are of the kinds from first_kind to last_kind; FIRST_KIND and LAST_KIND choose them.
local first_kind, last_kind = tonumber(os.getenv("FIRST_KIND")), tonumber(os.getenv("LAST_KIND"))

-- The word of kind and number, as W4.sql has it.
local function word(kind, number)
  if kind < 4 then return frequent[1 + number % 8] end
  if kind < 7 then return string.format("%04x", number) end
  if kind < 8 then return "ct-" .. (10000 + number) end
  if kind < 10 then return absent[1 + number % 4] end
  return short[1 + number % 4]
end

local bodies = {
  W1 = function()
    local id = math.random(1, rows)
    return string.format('{"jsonrpc":"2.0","id":%d,"method":"sessions.get","params":{"id":%d,"select":"%s"}}', id, id, nested)
  end,
  W2 = function()
    local month = math.random(0, 35)
    local following = month + 1
    return string.format('{"jsonrpc":"2.0","id":%d,"method":"sessions.list","params":{"where":{"date":{"gte":"%d-%02d-01",'
      .. '"lt":"%d-%02d-01"}},"order_by":["-date","-id"],"first":100,"select":"%s"}}', month,
      2024 + math.floor(month / 12), month % 12 + 1, 2024 + math.floor(following / 12), following % 12 + 1, nested)
  end,
  W3 = function()
    local client, formateur = math.random(1, 2000), math.random(1, 1000)
    return string.format('{"jsonrpc":"2.0","id":%d,"method":"sessions.create","params":{"values":{"module":"Charge",'
      .. '"date":"2026-05-04","debut":"09:00","fin":"17:00","modalite":"P","lieu":"Paris","tarif_client":1200.50,'
      .. '"tarif_sous_traitant":450,"frais_rembourser":80,"ref_contrat":"CT-W3","client_id":%d,"formateur_id":%d}}}',
      client * 10000 + formateur, client, formateur)
  end,
  W4 = function()
    local kind, number = math.random(first_kind, last_kind), math.random(0, 65535)
    return string.format('{"jsonrpc":"2.0","id":%d,"method":"sessions.list","params":{"search":"%s","first":20,'
      .. '"select":"%s"}}', kind * 100000 + number, word(kind, number), nested)
  end,
  body = function() return os.getenv("BODY") end,
}

-- Whether the answer fits the id of its request.
local checks = {
  W1 = function(id, body)
    return body:find('"result":{"id":' .. id .. ',"module":"', 1, true) and body:find('"formateur":{"nom":"', 1, true)
  end,
  W2 = function(id, body)
    local month = string.format('%d-%02d-', 2024 + math.floor(id / 12), id % 12 + 1)
    local items = 0
    for date in body:gmatch('"date":"([^"]*)"') do
      if date:sub(1, 8) ~= month then return false end
      items = items + 1
    end
    return items == 100
  end,
  W3 = function(id, body)
    return body:find(string.format('"client_id":%d,"formateur_id":%d,', math.floor(id / 10000), id % 10000), 1, true)
      and body:find('"module":"Charge","date":"2026-05-04","debut":"09:00:00","fin":"17:00:00"', 1, true)
  end,
  W4 = function(id, body)
    local kind, number = math.floor(id / 100000), id % 100000
    local _, items = body:gsub('"module":', "")
    if kind < 4 then return items == 20 end
    if kind == 8 or kind == 9 then return body:find('"items":[]', 1, true) end
    return items <= 20 and (items == 0 or body:lower():find(word(kind, number), 1, true))
  end,
  body = function(_, body) return body:find('"result":', 1, true) end,
}

local threads = {}
function setup(thread)
  thread:set("seed", #threads + 1)
  thread:set("wrong", 0)
  thread:set("example", "")
  table.insert(threads, thread)
end

local head
function init()
  math.randomseed(seed * 7919 + (tonumber(os.getenv("SEED")) or 0))
  head = "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer " .. token
    .. "\r\nContent-Length: "
end

function request()
  local body = bodies[workload]()
  return head .. #body .. "\r\n\r\n" .. body
end

if checked then
  function response(status, headers, body)
    local id = body:match('"id":(%d+)')
    if status ~= 200 or not id or not checks[workload](tonumber(id), body) then
      wrong = wrong + 1
      example = body:sub(1, 300)
    end
  end
end

function done(summary, latency)
  local wrong, example = 0, ""
  for _, thread in ipairs(threads) do
    wrong = wrong + thread:get("wrong")
    example = thread:get("example")
  end
  if wrong > 0 then io.stderr:write(example, "\n") end
  io.write(string.format('{"requests": %d, "seconds": %f, "errors": %d, "wrong": %d, "p50": %f, "p99": %f}\n', summary.requests,
    summary.duration / 1e6, summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout, wrong,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
