"""What callers write: run, and checked by mypy, where nothing but the package is installed. use.py URL DIRECTORY."""

from __future__ import annotations

import sys

import palmares

url, directory = sys.argv[1:]
client = palmares.Client(url, store=palmares.DirectoryStore(directory))
tools = client.download_file("tools.jsonl").rows()

best = list(client.list_tools(category=["code", "agents"], score_min=7, sort="score_desc"))
if not best or any(tool["score"] is None or tool["score"] < 7 for tool in best):
    raise SystemExit("the filter was lost")
name: str = best[0]["name"]
price: str = client.get_price(best[0]["slug"]).value["current_price"]
try:
    client.get_tool("nope")
except palmares.NotFoundError as e:
    if e.code != "unknown":
        raise
print(f"   Python {sys.version.split()[0]}: {len(tools)} tools, {name} is the best, {price}")
