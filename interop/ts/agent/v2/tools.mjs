// The tools for acts in version 2. The agent reads and writes files and runs commands itself.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { diff } from "./diff.mjs";

const content = (words) => [{ type: "content", content: { type: "text", text: words } }];
const requestedSchema = {
  type: "object",
  properties: { answer: { type: "string", title: "Answer" } },
  required: ["answer"],
};

/** Ends a call as failed if the work throws; the turn continues. */
async function doing(turn, id, work) {
  try {
    await work();
  } catch (error) {
    turn.throwIfCancelled();
    await turn.change(id, { status: "failed", content: content(error.message) });
  }
}

async function replace(turn, name, file, rawInput, after) {
  const full = path.resolve(turn.session.record.cwd, file);
  const fields = { name, title: `${name} ${file}`, kind: "edit", locations: [{ path: full }], rawInput };
  const id = await turn.begin(fields);
  return doing(turn, id, async () => {
    const before = fs.existsSync(turn.inside(file)) ? fs.readFileSync(full, "utf8") : undefined;
    const now = after(before);
    const shown = { content: [diff(full, before, now)] };
    await turn.change(id, shown);
    if (!(await turn.allows(id, { ...fields, ...shown }))) throw new Error("It was not allowed.");
    await turn.change(id, { status: "in_progress" });
    fs.writeFileSync(full, now);
    await turn.change(id, { status: "completed" });
  });
}

/** Runs a command in its own process group, until it ends or is cancelled. */
function run(turn, command, stop) {
  const child = spawn("sh", ["-c", command], { cwd: turn.session.record.cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => output.push(bytes));
  const kill = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  };
  turn.aborted(AbortSignal.any([stop, turn.cancelled])).then(kill);
  return new Promise((resolve) => {
    child.once("close", (exitCode) => resolve({ exitCode, output: Buffer.concat(output).toString() }));
  });
}

const tools = {
  async read(turn, { path: file }) {
    const id = await turn.begin({ name: "read", title: `Read ${file}`, kind: "read", rawInput: { path: file } });
    return doing(turn, id, async () => {
      const full = turn.inside(file);
      await turn.change(id, { status: "in_progress", locations: [{ path: full }] });
      await turn.change(id, { status: "completed", content: content(fs.readFileSync(full, "utf8")) });
    });
  },

  write: (turn, { path: file, content: words }) => replace(turn, "write", file, { path: file, content: words }, () => words),

  edit: (turn, { path: file, old, new: fresh }) =>
    replace(turn, "edit", file, { path: file, old, new: fresh }, (before) => {
      if (!before?.includes(old)) throw new Error(`${file} does not contain this text`);
      return before.replace(old, () => fresh);
    }),

  async run(turn, { command }) {
    const stop = new AbortController();
    const fields = { name: "run", title: command, kind: "execute", rawInput: { command }, capabilities: { cancel: {} } };
    const id = await turn.begin(fields, () => stop.abort());
    return doing(turn, id, async () => {
      const { capabilities, ...asked } = fields;
      const allowed = await turn.allows(id, asked, stop.signal);
      if (!allowed && !stop.signal.aborted) throw new Error("It was not allowed.");
      if (!stop.signal.aborted) await turn.change(id, { status: "in_progress" });
      const { exitCode, output } = stop.signal.aborted ? { output: "" } : await run(turn, command, stop.signal);
      turn.throwIfCancelled();
      const status = stop.signal.aborted ? "cancelled" : exitCode === 0 ? "completed" : "failed";
      await turn.change(id, { status, content: content(output), rawOutput: { exitCode: exitCode ?? null } });
    });
  },

  plan: (turn, { entries }) => turn.session.update({ sessionUpdate: "plan_update", plan: { type: "items", planId: "first", entries } }),

  async ask(turn, { question }) {
    if (!turn.session.clientCapabilities.elicitation?.form) return turn.say(`No form can be shown here: ${question}`);
    const params = { sessionId: turn.sessionId, mode: "form", message: question, requestedSchema };
    const { action, content: given } = await turn.request("elicitation/create", params);
    return turn.say(action === "accept" && typeof given?.answer === "string" ? `answer: ${given.answer}` : action);
  },
};

/** Calls the tool of an act. */
export async function callTool(turn, { tool, ...args }) {
  await turn.endMessage();
  return Object.hasOwn(tools, tool) ? tools[tool](turn, args) : turn.say(`attache check: no tool for ${tool}`);
}
