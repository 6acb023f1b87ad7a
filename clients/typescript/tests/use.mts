// What callers write: the compiler must take it, and refuse the rest. It is compiled and run in a project that has nothing else.
import { Client, MemoryStore, NotFoundError, type Body } from "palmares";
import { DirectoryStore } from "palmares/directory";

const [url = "", directory = ""] = process.argv.slice(2);
const client = new Client(url, { store: new MemoryStore() });

const best: Body<"getTool">[] = [];
for await (const tool of client.listTools({ category: ["code", "agents"], score_min: 7, sort: "score_desc" })) best.push(tool);
const file = await new Client(url, { store: new DirectoryStore(directory) }).downloadFile("tools.jsonl");
const tools = file.rows<Body<"getTool">>();

const icp = tools[0]?.icp;
if (icp === "mixte" || icp === "a value of next year") console.log("   values are open");
try {
  await client.getTool("nope");
} catch (error) {
  if (!(error instanceof NotFoundError) || error.code !== "unknown") throw error;
}

export function refused() { // by the compiler alone
  // @ts-expect-error: no such parameter
  client.listTools({ colour: "red" });
  // @ts-expect-error: on is required
  client.listToolsOfDay({});
  // @ts-expect-error: a price is a number
  client.listTools({ price_max: "20" });
  // @ts-expect-error: there is no default address
  new Client();
}

if (best.length === 0 || best.some((tool) => tool.score === null || tool.score < 7)) throw new Error("the filter was lost");
console.log(`   Node.js ${process.version}: ${tools.length} tools, ${best[0]?.name} is the best, ${(await client.getPrice(best[0]!.slug)).value.current_price}`);
