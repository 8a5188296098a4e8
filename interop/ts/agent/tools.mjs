// The tools for acts. Each call is a tool call that the client sees from start to end.
import { read, readIfThere, resolve, write } from "./files.mjs";
import { allows } from "./permission.mjs";
import { elicit } from "./question.mjs";
import { run } from "./shell.mjs";

const text = (words) => [{ type: "content", content: { type: "text", text: words } }];

/** One tool call: pending, then in progress, then one final status (TOOL-07). */
export class ToolCall {
  #isStarted = false;
  #isSettled = false;

  constructor(turn, toolCallId, begun) {
    Object.assign(this, { turn, toolCallId, begun });
  }

  static async begin(turn, fields) {
    const toolCallId = `call-${(turn.session.record.last.call += 1)}`;
    const call = new ToolCall(turn, toolCallId, fields);
    turn.openCalls.add(call);
    await turn.update({ sessionUpdate: "tool_call", toolCallId, status: "pending", ...fields });
    return call;
  }

  /** Returns its description in a permission request. */
  get shown() {
    return { toolCallId: this.toolCallId, ...this.begun };
  }

  patch(fields, kept = fields) {
    const update = { sessionUpdate: "tool_call_update", toolCallId: this.toolCallId };
    return this.turn.update({ ...update, ...fields }, { ...update, ...kept });
  }

  async start(fields = {}) {
    if (this.#isStarted) return;
    this.#isStarted = true;
    // A terminal does not exist after a load; its output is in the last update instead.
    const { content, ...kept } = fields;
    await this.patch({ status: "in_progress", ...fields }, { status: "in_progress", ...kept });
  }

  async end(status, fields, kept) {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.turn.openCalls.delete(this);
    await this.patch({ status, ...fields }, { status, ...(kept ?? fields) });
  }

  complete(fields, kept) {
    return this.end("completed", fields, kept);
  }

  fail(why) {
    return this.end("failed", why && { content: text(why) });
  }

  /** Does the work of the call; a failure fails the call, and the turn continues. */
  async doing(work) {
    try {
      await work();
    } catch (error) {
      this.turn.throwIfCancelled();
      await this.fail(error.message);
    }
  }
}

async function permitted(turn, call) {
  if (await allows(turn, call.begun.kind, call.shown)) return true;
  turn.throwIfCancelled();
  await call.fail("It was not allowed.");
  return false;
}

async function replaceFile(turn, call, file, content) {
  if (!(await permitted(turn, call))) return;
  turn.throwIfCancelled();
  await call.start();
  await write(turn, file, content);
  await call.complete();
}

const tools = {
  async read(turn, { path }) {
    const call = await ToolCall.begin(turn, { name: "read", title: `Read ${path}`, kind: "read", rawInput: { path } });
    return call.doing(async () => {
      const file = resolve(turn.session, path);
      await call.start({ locations: [{ path: file }] });
      await call.complete({ content: text(await read(turn, file)) });
    });
  },

  async write(turn, { path, content }) {
    const fields = { name: "write", title: `Write ${path}`, kind: "edit", rawInput: { path, content } };
    return change(turn, fields, path, () => content);
  },

  async edit(turn, { path, old, new: fresh }) {
    const fields = { name: "edit", title: `Edit ${path}`, kind: "edit", rawInput: { path, old, new: fresh } };
    return change(turn, fields, path, (before) => {
      if (!before?.includes(old)) throw new Error(`${path} does not contain this text`);
      return before.replace(old, () => fresh);
    });
  },

  async run(turn, { command }) {
    const call = await ToolCall.begin(turn, { name: "run", title: command, kind: "execute", rawInput: { command } });
    return call.doing(async () => {
      if (!(await permitted(turn, call))) return;
      const { isShown, output, ...exit } = await run(turn, command, call);
      const rawOutput = { ...exit, output };
      const kept = { content: text(output), rawOutput };
      await call.end(exit.exitCode === 0 ? "completed" : "failed", isShown ? { rawOutput } : kept, kept);
    });
  },

  plan: (turn, { entries }) => turn.update({ sessionUpdate: "plan", entries }),

  async ask(turn, { question }) {
    const call = await ToolCall.begin(turn, { name: "ask", title: question, kind: "other", rawInput: { question } });
    return call.doing(async () => {
      await call.start();
      const answer = await elicit(turn, question, call.toolCallId);
      await call.complete({ content: text(answer) });
      await turn.say(answer);
    });
  },

  async mcp(turn, { name, arguments: args }) {
    const call = await ToolCall.begin(turn, { name, title: name, kind: "other", rawInput: args ?? {} });
    return call.doing(async () => {
      await call.start();
      const outcome = await turn.unlessCancelled(turn.session.mcp.call(name, args));
      if (!outcome) throw new Error(`no MCP server has a tool ${name}`);
      const content = outcome.content.map((block) => ({ type: "content", content: block }));
      await call.end(outcome.isError ? "failed" : "completed", { content });
    });
  },
};

/** A file before and after a change, shown as a diff before the permission request. */
async function change(turn, fields, path, after) {
  const call = await ToolCall.begin(turn, fields);
  return call.doing(async () => {
    const file = resolve(turn.session, path);
    const oldText = await readIfThere(turn, file);
    const newText = after(oldText);
    const diff = { type: "diff", path: file, ...(oldText !== undefined && { oldText }), newText };
    const shown = { locations: [{ path: file }], content: [diff] };
    Object.assign(call.begun, shown);
    await call.patch(shown);
    await replaceFile(turn, call, file, newText);
  });
}

/** Calls the tool of an act. */
export function callTool(turn, { tool, ...args }) {
  turn.endMessage();
  return Object.hasOwn(tools, tool) ? tools[tool](turn, args) : turn.say(`attache check: no tool for ${tool}`);
}
