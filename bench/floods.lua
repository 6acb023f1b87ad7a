-- Sends queries none of which was sent before, each from one address or each fifty from
-- another.
--
--   wrk -s floods.lua URL -- KIND FIRST HEADER...
--
-- KIND is list (filtered lists of 41 to 50 tools), stats, or either with -spread, identifiers, or one of the messages to /mcp below;
-- FIRST is the number of the first query, which each thread counts on from.
local threads = 0

function setup(thread)
   thread:set("id", threads)
   threads = threads + 1
end

function init(args)
   kind, at = args[1], tonumber(args[2]) + id
   local lines = {"Host: " .. wrk.host}
   for i = 3, #args do lines[#lines + 1] = args[i] end
   head = table.concat(lines, "\r\n")
end

-- Neighbouring numbers have little in common: 15485863 is coprime to the number of queries.
local orders = {"score_desc", "score_asc", "name_asc", "name_desc"}
local function list(n)
   local i = n * 15485863 % (4 * 2 * 10 * 400 * 400)
   local function digit(base)
      local d = i % base
      i = math.floor(i / base)
      return d
   end
   local order, page, limit, score, obsolescence = orders[1 + digit(4)], 1 + digit(2), 41 + digit(10), digit(400), 500 + digit(400)
   return string.format("/api/v1/tools?sort=%s&page=%d&limit=%d&score_min=%d.%02d&obsolescence_max=%d.%02d",
      order, page, limit, math.floor(score / 100), score % 100, math.floor(obsolescence / 100), obsolescence % 100)
end

local long = string.rep("x", 60000)
local messages = {
   ["mcp-call"] = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{}}}',
   ["mcp-junk"] = string.rep("[", 60000),
   ["mcp-ping"] = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"' .. long .. '"}}}',
   ["mcp-last"] = '{"jsonrpc":"2.0","id":1,"params":{"_meta":{"x":"' .. long .. '"}},"method":"ping"}',
}

function request()
   at = at + 2 -- there are two threads
   local message = messages[kind]
   if message then
      return string.format("POST /mcp HTTP/1.1\r\n%s\r\nX-Forwarded-For: 10.0.0.0\r\nContent-Type: application/json\r\n" ..
         "Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", head, #message, message)
   end
   local path = "/api/v1/stats"
   if kind:sub(1, 4) == "list" then path = list(at) end
   if kind == "identifiers" then path = "/api/v1/export/identifiers.jsonl" end
   local from = 0
   if kind:sub(-6) == "spread" then from = math.floor(at / 50) end
   return string.format("GET %s HTTP/1.1\r\n%s\r\nX-Forwarded-For: 10.%d.%d.%d\r\n\r\n", path, head,
      math.floor(from / 65536) % 256, math.floor(from / 256) % 256, from % 256)
end
