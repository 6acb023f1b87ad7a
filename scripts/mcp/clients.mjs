// Connects clients that people use to a server: each lists the tools, and calls every one of them. Inspector also holds a
// dialogue, in which somebody asks by names, labels and days: the file has its calls, and the answers that they must get.
// Prints a line for each client, and ends with an error if one cannot. With UPDATE=1 it writes the answers into the file.
//
//   node clients.mjs URL KEY DIALOGUE
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, key, file] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const packages = join(import.meta.dirname, "node_modules");

// One call of each tool. None may be an error: the example catalog has all that they name.
const calls = {
  search_tools: { q: "code", limit: 3 },
  get_tool: { slug: "tournevis" },
  compare_tools: { slugs: ["tournevis", "rabotine"] },
  price_history: { slug: "tournevis" },
  alternatives: { slug: "tournevis" },
  retired: { slug: "dictafolle" },
  what_changed: { limit: 3 },
  check_stack: { items: ["tournevis", "dictafolle"] },
};

const fail = (what) => {
  throw new Error(what);
};

function wantTools(tools) {
  const names = tools.map((t) => t.name).join(" ");
  if (names !== Object.keys(calls).join(" ")) fail(`the tools are ${names}`);
}

function wantAnswer(name, result) {
  if (result.isError || !result.structuredContent?.source) fail(`${name}: ${JSON.stringify(result).slice(0, 300)}`);
}

// use lists and calls through a client of one of the two SDKs, which have the same shape.
async function use(client, transport) {
  await client.connect(transport);
  wantTools((await client.listTools()).tools);
  for (const [name, args] of Object.entries(calls)) wantAnswer(name, await client.callTool({ name, arguments: args }));
  const { version } = client.getServerVersion() ?? {};
  await client.close();
  return version;
}

const toolIsError = 5; // with it Inspector ends after an answer with isError

// run runs a program to its end and returns what it printed.
function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, HOME: home } });
    let out = "", err = "";
    child.stdout.on("data", (b) => (out += b));
    child.stderr.on("data", (b) => (err += b));
    child.on("close", (code) => (code === 0 || code === toolIsError ? resolve(out) : reject(new Error(`exit ${code}: ${(err + out).slice(0, 600)}`))));
  });
}

const home = mkdtempSync(join(tmpdir(), "mcp-clients-")); // for what programs keep of a user
const self = { name: "clients.mjs", version: "1" };
const inspector = (...args) =>
  run([join(packages, "@modelcontextprotocol/inspector/clients/launcher/build/index.js"), "--cli", url, "--transport", "http",
    "--header", `Authorization: Bearer ${key}`, ...args]);

// ask calls a tool by Inspector's CLI.
async function ask(name, args) {
  const pairs = Object.entries(args).flatMap(([k, v]) => ["--tool-arg", `${k}=${typeof v === "string" ? v : JSON.stringify(v)}`]);
  return JSON.parse(await inspector("--method", "tools/call", "--tool-name", name, ...pairs));
}

// stable returns an answer without what differs from one node or day to another.
const ofTheDay = ["edition", "timestamp", "updated_at", "log_begins", "next"];
const stable = (answer) =>
  JSON.parse(JSON.stringify(answer, (k, v) => (ofTheDay.includes(k) && v !== null ? "…" : v)).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, ""));

// hold holds the dialogue and compares the answers.
async function hold() {
  const dialogue = JSON.parse(readFileSync(file));
  for (const turn of dialogue) {
    const result = await ask(turn.tool, turn.arguments);
    const answer = result.isError ? result.content[0].text : stable(result.structuredContent);
    if (process.env.UPDATE) turn.answer = answer;
    const [got, want] = [answer, turn.answer].map((a) => JSON.stringify(a, null, 2));
    if (got !== want) fail(`"${turn.asked}" gets ${got}, and not ${want}`);
  }
  if (process.env.UPDATE) writeFileSync(file, JSON.stringify(dialogue, null, 2) + "\n");
}

const clients = {
  "@modelcontextprotocol/sdk": () => use(new Client1(self), new Transport1(new URL(url), { requestInit: { headers } })),
  "@modelcontextprotocol/client": () => use(new Client2(self), new Transport2(new URL(url), { requestInit: { headers } })),
  "mcp-remote": () =>
    use(
      new Client1(self),
      new StdioClientTransport({
        command: process.execPath,
        args: [join(packages, "mcp-remote/dist/proxy.js"), url, "--allow-http", "--transport", "http-only", "--header", `Authorization: Bearer ${key}`],
        env: { ...process.env, HOME: home },
        stderr: "ignore",
      }),
    ),
  "@modelcontextprotocol/inspector": async () => {
    wantTools(JSON.parse(await inspector("--method", "tools/list", "--strict")).tools);
    for (const [name, args] of Object.entries(calls)) wantAnswer(name, await ask(name, args));
    await hold();
  },
};

let failed = 0;
for (const [name, go] of Object.entries(clients)) {
  const { version } = JSON.parse(await (await import("node:fs/promises")).readFile(join(packages, name, "package.json"), "utf8"));
  try {
    await go();
    console.log(`✓ ${name} ${version}: connected, listed ${Object.keys(calls).length} tools, called each`);
  } catch (e) {
    failed++;
    console.log(`✗ ${name} ${version}: ${e.message}`);
  }
}
process.exit(failed ? 1 : 0);
