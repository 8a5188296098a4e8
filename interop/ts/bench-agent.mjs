// The official TypeScript SDK's agent of the speed table. The prompt `N SIZE MODE` asks for N
// chunks of SIZE bytes; with the MODE `burst` it does not wait for each write, with any other it
// does.
import * as acp from "@agentclientprotocol/sdk";
import fs from "node:fs";
import { Readable, Writable } from "node:stream";

const { agent: toAgent, client: toClient } = acp.methods;
const filler = "the quick brown fox jumps over a lazy dog, ";
const status = (key) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(fs.readFileSync("/proc/self/status", "utf8"))[1]);

const connection = acp
  .agent({ name: "official-ts-bench-agent" })
  .onRequest(toAgent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(toAgent.session.new, () => ({ sessionId: "sess-0123456789abcdef" }))
  .onRequest(toAgent.session.setMode, () => ({}))
  .onRequest(
    "_bench/stats",
    (params) => params,
    () => {
      const { user, system } = process.cpuUsage();
      const memory = { rss_kb: status("VmRSS"), peak_rss_kb: status("VmHWM") };
      return { user_us: user, sys_us: system, ...memory, allocs: 0, alloc_bytes: 0 };
    },
  )
  .onRequest(toAgent.session.prompt, async ({ params, client }) => {
    const [count, size, mode] = params.prompt[0].text.split(" ");
    const text = filler.repeat(Math.ceil(size / filler.length)).slice(0, size);
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    for (let sent = 0; sent < count; sent += 1) {
      const written = client.notify(toClient.session.update, { sessionId: params.sessionId, update });
      if (mode === "burst") written.catch(() => {});
      else await written;
    }
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

await connection.closed;
process.exit(0);
