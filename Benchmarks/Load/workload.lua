-- The requests of one workload for wrk. WORKLOAD is its name and TOKEN the access token. Each thread has its own random seed.
local workload, token = os.getenv("WORKLOAD"), os.getenv("TOKEN")
local fields = "id module date debut fin modalite lieu tarif_client tarif_sous_traitant frais_rembourser ref_contrat "
  .. "ecole_id client_id formateur_id created_at updated_at version"
local nested = "{ " .. fields .. " formateur { nom prenom } client { raison_sociale } ecole { nom } }"

local bodies = {
  W1 = function()
    return string.format('{"jsonrpc":"2.0","id":1,"method":"sessions.get","params":{"id":%d,"select":"%s"}}',
      math.random(1, 100000), nested)
  end,
  W2 = function()
    local month = math.random(0, 35)
    local following = month + 1
    return string.format('{"jsonrpc":"2.0","id":1,"method":"sessions.list","params":{"where":{"date":{"gte":"%d-%02d-01",'
      .. '"lt":"%d-%02d-01"}},"order_by":["-date","-id"],"first":100,"select":"%s"}}',
      2024 + math.floor(month / 12), month % 12 + 1, 2024 + math.floor(following / 12), following % 12 + 1, nested)
  end,
  W3 = function()
    return string.format('{"jsonrpc":"2.0","id":1,"method":"sessions.create","params":{"values":{"module":"Charge",'
      .. '"date":"2026-05-04","debut":"09:00","fin":"17:00","modalite":"P","lieu":"Paris","tarif_client":1200.50,'
      .. '"tarif_sous_traitant":450,"frais_rembourser":80,"ref_contrat":"CT-W3","client_id":%d,"formateur_id":%d}}}',
      math.random(1, 2000), math.random(1, 1000))
  end,
  W4 = function()
    return string.format('{"jsonrpc":"2.0","id":1,"method":"sessions.list","params":{"search":"%04x","first":20,'
      .. '"select":"%s"}}', math.random(0, 65535), nested)
  end,
}

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("seed", threads)
end

local head
function init()
  math.randomseed(seed * 7919)
  head = "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer " .. token
    .. "\r\nContent-Length: "
end

function request()
  local body = bodies[workload]()
  return head .. #body .. "\r\n\r\n" .. body
end

function done(summary, latency)
  io.write(string.format('{"requests": %d, "seconds": %f, "errors": %d, "p50": %f, "p99": %f}\n', summary.requests,
    summary.duration / 1e6, summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
