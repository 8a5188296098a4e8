// Passes lines between a client and its agent, and kills the agent with SIGKILL when the client
// closes its end or kills this process.
//
// node between.mjs FILE HIDDEN COMMAND ARGS…
// Every line passes unchanged, except that the session capability HIDDEN is removed from the agent's
// `initialize` response (`-` hides none). Writes every message with its sender to FILE, one JSON
// object per line, and finally how the agent ended.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createInterface } from "node:readline";

const [file, hidden, command, ...words] = process.argv.slice(2);
const note = (what) => fs.appendFileSync(file, `${JSON.stringify(what)}\n`);
const agent = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
note({ agent: agent.pid });

const kill = () => agent.kill("SIGKILL");
agent.stdin.on("error", () => {});
agent.on("error", (error) => {
  note({ failed: error.message });
  process.exit(1);
});
agent.on("exit", (code, signal) => {
  note({ code, signal });
  process.exit(0);
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, kill);
process.stdout.on("error", kill);

createInterface({ input: process.stdin, crlfDelay: Infinity })
  .on("line", (line) => {
    note({ from: "client", message: JSON.parse(line) });
    agent.stdin.write(`${line}\n`);
  })
  .on("close", kill);

createInterface({ input: agent.stdout, crlfDelay: Infinity }).on("line", (line) => {
  const message = JSON.parse(line);
  note({ from: "agent", message });
  const offered = message.result?.agentCapabilities?.sessionCapabilities;
  const isHiding = offered && hidden in offered;
  if (isHiding) delete offered[hidden];
  process.stdout.write(`${isHiding ? JSON.stringify(message) : line}\n`);
});
