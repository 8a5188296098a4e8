// Loads a session with acpx, and stores and prints the updates of the load, which acpx itself
// drops.
//
// node acpx-load.mjs --cwd DIR --load ID -- COMMAND ARGS…
//
// Uses acpx's own client, text output and record of conversations. Prints what acpx shows for each
// update, and writes the record that `acpx --agent "'COMMAND' 'ARGS'…" sessions read` then shows.
// Exits with 0 on success.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const dist = path.dirname(fileURLToPath(import.meta.resolve("acpx")));

/**
 * The export `name` of acpx in the file whose name begins with `file`; acpx minifies the names of
 * exports.
 */
async function acpx(file, name) {
  const found = fs.readdirSync(dist).find((entry) => entry.startsWith(`${file}-`) && entry.endsWith(".js"));
  const exports = Object.values(await import(path.join(dist, found)));
  return exports.find((value) => typeof value === "function" && value.name === name);
}

const AcpClient = await acpx("queue-owner-runtime", "AcpClient");
const createInitialSessionRecord = await acpx("queue-owner-runtime", "createInitialSessionRecord");
const recordSessionUpdate = await acpx("queue-owner-runtime", "recordSessionUpdate");
const applyConfigOptionsToRecord = await acpx("queue-owner-runtime", "applyConfigOptionsToRecord");
const writeSessionRecord = await acpx("ipc", "writeSessionRecord");
const createOutputFormatter = await acpx("output", "createOutputFormatter");

const [, , cwdOption, cwd, loadOption, sessionId, end, ...agent] = process.argv;
if (cwdOption !== "--cwd" || loadOption !== "--load" || end !== "--" || !agent.length) {
  console.error("usage: acpx-load.mjs --cwd DIR --load ID -- COMMAND ARGS…");
  process.exit(2);
}
const agentCommand = agent.map((word) => `'${word}'`).join(" ");
const record = createInitialSessionRecord({ recordId: sessionId, sessionId, agentCommand, cwd });
const shown = createOutputFormatter("text");
const client = new AcpClient({
  agentCommand,
  cwd,
  permissionMode: "deny-all",
  onAcpOutputMessage: (direction, message) => direction === "inbound" && shown.onAcpMessage(message, direction),
  onSessionUpdate: (notification) => {
    record.acpx = recordSessionUpdate(record, record.acpx, notification);
  },
});
try {
  await client.start();
  applyConfigOptionsToRecord(record, await client.loadSession(sessionId, cwd));
  shown.flush();
  await writeSessionRecord(record);
} finally {
  await client.close();
}
