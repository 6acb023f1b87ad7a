// What callers write with the generated types and functions: the compiler must take it.
import { getTool, listTools } from "./orval.js";
import type { components, paths } from "./schema.js";

type Tool = components["schemas"]["ToolItem"];
type Query = paths["/api/v1/tools"]["get"]["parameters"]["query"];

export async function best(query: Query): Promise<Tool | undefined> {
  const list = await listTools(query);
  if (list.status !== 200 || list.data.data.length === 0) return undefined;
  const tool = await getTool(list.data.data[0].slug);
  return tool.status === 200 ? tool.data : undefined;
}

const tool = await best({ category: "code", limit: 1 });
if (!tool) throw new Error("no tool was found");
console.log(`   TypeScript: ${tool.name}, ${tool.price}`);
