// What callers write with the generated types: the compiler must take it.
import type { paths } from "./schema.js";

declare const process: { argv: string[] };

type List = paths["/api/v1/tools"]["get"];
type Tool = List["responses"][200]["content"]["application/json"]["data"][number];

export async function best(base: string, query: List["parameters"]["query"]): Promise<Tool | undefined> {
  const response = await fetch(`${base}/api/v1/tools?${new URLSearchParams(query as Record<string, string>)}`);
  const list: List["responses"][200]["content"]["application/json"] = await response.json();
  return list.data[0];
}

const tool = await best(process.argv[2], { category: "code", limit: 1 });
if (!tool) throw new Error("no tool was found");
console.log(`   TypeScript: ${tool.name}, ${tool.price}`);
