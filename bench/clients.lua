-- Sends each request as another client: the values of one header are read from a file, one
-- a line, and used in turn. Requests are made beforehand; each thread has its share.
--
--   wrk -s clients.lua URL -- HEADER FILE THREADS
local threads = 0

function setup(thread)
   thread:set("id", threads)
   threads = threads + 1
end

function init(args)
   requests, last, line = {}, 0, 0
   for value in io.lines(args[2]) do
      if line % tonumber(args[3]) == id then
         wrk.headers[args[1]] = value
         requests[#requests + 1] = wrk.format()
      end
      line = line + 1
   end
end

function request()
   last = last % #requests + 1
   return requests[last]
end
