// A handwritten MCP server on stdin and stdout. Its first argument selects its behaviour, the second
// names a file for its traces, and the third a file that it waits for.
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , behaviour, traces, go] = process.argv;
const there = async () => {
  while (!existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 10));
};
let listed = 0;
const trace = (word) => traces && appendFileSync(traces, word + "\n");
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const text = (text) => ({ content: [{ type: "text", text }] });
const tool = (name, more = {}) => ({ name, description: `It does ${name}.`, inputSchema: { type: "object", properties: {} }, ...more });
const tools = ["echo", "env", "roots", "hang", "die", "huge", "mixed", "fail", "ask", "progress", "grow"].map((name) => tool(name));
const answers = new Map();
let asked = 0;
const ask = (method, params) =>
  new Promise((resolve) => {
    answers.set(`ask${++asked}`, resolve);
    send({ id: `ask${asked}`, method, params });
  });

trace(`pid ${process.pid}`);
if (behaviour === "exit") {
  console.error("a first line\nthe database of hush-hush cannot be opened");
  process.exit(3);
}
if (behaviour === "garbage") console.log("Welcome to the server!");

const calls = {
  echo: ({ arguments: given }) => text(JSON.stringify(given)),
  env: () => text(`${process.env.KEY} ${process.cwd()}`),
  roots: async () => text(JSON.stringify((await ask("roots/list")).result.roots)),
  hang: () => new Promise(() => {}),
  die: () => process.exit(7),
  huge: () => text("line of text\n".repeat(250_000)),
  fail: () => ({ ...text("no such issue"), isError: true }),
  mixed: () => ({
    content: [
      { type: "text", text: "words" },
      { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
      { type: "image", data: "A".repeat(200_000), mimeType: "image/png" },
      { type: "audio", data: "aGVsbG8=", mimeType: "audio/wav" },
      { type: "resource_link", uri: "file:///a.txt", name: "a.txt" },
      { type: "resource", resource: { uri: "note://1", mimeType: "text/plain", text: "a note" } },
    ],
    structuredContent: { number: 7 },
  }),
  ask: async () => {
    const properties = { name: { type: "string", title: "Your name" } };
    const params = { message: "Who is it?", requestedSchema: { type: "object", properties, required: ["name"] } };
    return text(JSON.stringify((await ask("elicitation/create", params)).result));
  },
  progress: async (_, token) => {
    send({ method: "notifications/progress", params: { progressToken: token, progress: 1, total: 4, message: "a quarter" } });
    await there();
    return text("all");
  },
  grow: () => {
    tools.push(tool("grown"));
    send({ method: "notifications/tools/list_changed" });
    return text("grown");
  },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return answers.get(id)?.({ result, error });
  trace(method + (method === "notifications/cancelled" ? ` ${params.reason}` : ""));
  if (behaviour === "hang" || behaviour === "garbage") return;
  switch (method) {
    case "initialize": {
      if (behaviour === "late") await there();
      trace(`capabilities ${JSON.stringify(params.capabilities)}`);
      const capabilities = { tools: { listChanged: true } };
      const serverInfo = { name: "by hand", version: "1" };
      return send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo, instructions: "Echo\nfirst." } });
    }
    case "tools/list": {
      if (behaviour === "odd") {
        const bare = { name: "bare", description: "It has no schema." };
        const task = { execution: { taskSupport: "required" } };
        tools.push(bare, tool("text", { inputSchema: "none" }), tool("yes", { inputSchema: true }));
        tools.push(tool("research", task), tool("either", { execution: { taskSupport: "optional" } }));
      }
      if (behaviour === "tasks") tools.push(tool("research", { execution: { taskSupport: "required" } }));
      const many = Array.from({ length: 200 }, (_, index) => tool(`tool${index}`));
      send({ id, result: { tools: behaviour === "many" ? many : tools } });
      // If the client replies, it has read all earlier messages.
      await ask("ping");
      return trace(`listed ${behaviour}${listed++ ? " again" : ""}`);
    }
    case "tools/call":
      return send({ id, result: await calls[params.name](params, params._meta?.progressToken) });
  }
});
process.stdin.on("end", () => process.exit(0));
