// The official TypeScript SDK's client of the speed table. Prints one JSON object.
//
// node bench-client.mjs SCENARIO … -- COMMAND ARGS…
//
// Scenarios: `startup`, `idle SECONDS`, `rtt N`, `pipelined N WINDOW`, `flood N SIZE MODE`, and
// `stall N SIZE`, in which this process stops itself at the first update and continues when the
// runner sends SIGCONT.
import * as acp from "@agentclientprotocol/sdk";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { Readable, Writable } from "node:stream";
import { setImmediate as immediate, setTimeout as after } from "node:timers/promises";

const { agent: toAgent, client: toClient } = acp.methods;
const words = process.argv.slice(2);
const end = words.indexOf("--");
const [scenario, ...numbers] = words.slice(0, end);
const [program, ...programArguments] = words.slice(end + 1);
const status = (key) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(fs.readFileSync("/proc/self/status", "utf8"))[1]);
const now = () => Number(process.hrtime.bigint()) / 1e3;

const received = { updates: 0, bytes: 0, stop: false };
const start = now();
const child = spawn(program, programArguments, { stdio: ["pipe", "pipe", "inherit"] });
const connection = acp
  .client({ name: "official-ts-bench-client" })
  .onNotification(toClient.session.update, ({ params: { update } }) => {
    received.updates += 1;
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
      received.bytes += update.content.text.length;
    }
    if (received.stop) {
      received.stop = false;
      process.kill(process.pid, "SIGSTOP");
    }
  })
  .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
const { agent } = connection;
let sessionId;

const setMode = () => agent.request(toAgent.session.setMode, { sessionId, modeId: "code" });
const stats = () => agent.request("_bench/stats", {});
const prompt = (text) => agent.request(toAgent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });

/** Runs `work` and reports the cost of each of `items` items. */
async function span(items, work) {
  const [began, cpu] = [now(), process.cpuUsage()];
  await work();
  const secs = (now() - began) / 1e6;
  const { user, system } = process.cpuUsage(cpu);
  return { secs, per_s: items / secs, client_cpu_us_per_item: (user + system) / items };
}

function agentSince(before, later, items) {
  const cpu = later.user_us + later.sys_us - before.user_us - before.sys_us;
  return { agent_cpu_us_per_item: cpu / items, agent_peak_rss_kb: later.peak_rss_kb };
}

async function rtt(count) {
  for (let call = 0; call < Math.max(1000, count / 10); call += 1) await setMode();
  const before = await stats();
  const latencies = [];
  const report = await span(count, async () => {
    for (let call = 0; call < count; call += 1) {
      const sent = now();
      await setMode();
      latencies.push(now() - sent);
    }
  });
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor((latencies.length - 1) * share)];
  const mean = latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length;
  const latency = { p50_us: at(0.5), p90_us: at(0.9), p99_us: at(0.99), min_us: at(0), mean_us: mean };
  return { ...report, latency, ...agentSince(before, await stats(), count) };
}

function pipelined(count, window) {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await setMode();
    }
  };
  return span(count, () => Promise.all(Array.from({ length: window }, worker)));
}

async function flood(count, size, mode, stall) {
  await prompt("5000 32 await");
  Object.assign(received, { updates: 0, bytes: 0, stop: stall });
  const client_rss_before_kb = status("VmRSS");
  fs.writeFileSync("/proc/self/clear_refs", "5");
  const before = await stats();
  const report = await span(count, async () => {
    await prompt(`${count} ${size} ${mode}`);
    // The reply can overtake the last updates: the SDK does not wait for their handlers.
    while (received.updates < count) await immediate();
  });
  if (received.bytes !== count * size) throw new Error(`${received.bytes} bytes arrived`);
  const payload_mb_s = (count * size) / 1e6 / report.secs;
  const memory = { client_rss_before_kb, client_peak_rss_kb: status("VmHWM") };
  return { ...report, payload_mb_s, ...memory, ...agentSince(before, await stats(), count) };
}

async function idle(seconds) {
  const [before, cpu] = [process.resourceUsage(), process.cpuUsage()];
  await after(seconds * 1000);
  const { user, system } = process.cpuUsage(cpu);
  const used = process.resourceUsage();
  const voluntary = used.voluntaryContextSwitches - before.voluntaryContextSwitches;
  const involuntary = used.involuntaryContextSwitches - before.involuntaryContextSwitches;
  return {
    idle_cpu_us: user + system,
    idle_ctx: voluntary + involuntary,
    idle_ctx_voluntary: voluntary,
    threads: fs.readdirSync("/proc/self/task").length,
    rss_kb: status("VmRSS"),
  };
}

async function measure() {
  await agent.request(toAgent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  const startup_us = now() - start;
  if (scenario === "startup") return { startup_us, client_rss_kb: status("VmRSS") };
  ({ sessionId } = await agent.request(toAgent.session.new, { cwd: "/", mcpServers: [] }));
  const [first, second] = numbers.map(Number);
  if (scenario === "idle") return idle(first);
  if (scenario === "rtt") return rtt(first);
  if (scenario === "pipelined") return pipelined(first, second);
  if (scenario === "flood") return flood(first, second, numbers[2], false);
  if (scenario === "stall") return flood(first, second, "burst", true);
  throw new Error(`unknown scenario ${scenario}`);
}

console.log(JSON.stringify(await measure()));
connection.close();
child.kill();
process.exit(0);
