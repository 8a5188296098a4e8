// An agent of version 1 that runs each prompt as a command in a terminal of its client. It says how
// many images a prompt has instead, if it has any.
import { createInterface } from "node:readline";

const open = new Map();
let last = 0;

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function call(method, params) {
  const id = `call-${++last}`;
  send({ id, method, params });
  return new Promise((resolve, reject) => open.set(id, { resolve, reject }));
}

function say(sessionId, text) {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  send({ method: "session/update", params: { sessionId, update } });
}

async function run({ sessionId, prompt }) {
  const images = prompt.filter(({ type }) => type === "image");
  if (images.length > 0) {
    say(sessionId, `It got ${images.length} images.`);
    return { stopReason: "end_turn" };
  }
  const [command, ...args] = prompt[0].text.split(" ");
  try {
    const { terminalId } = await call("terminal/create", { sessionId, command, args });
    const of = { sessionId, terminalId };
    const { exitCode, signal } = await call("terminal/wait_for_exit", of);
    const { output } = await call("terminal/output", of);
    await call("terminal/release", of);
    say(sessionId, `It wrote ${output.trim()} and ended: ${signal ?? exitCode}.`);
  } catch (error) {
    say(sessionId, `It failed: ${error.message}.`);
  }
  return { stopReason: "end_turn" };
}

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { promptCapabilities: { image: true } },
  }),
  "session/new": () => ({ sessionId: `s${++last}` }),
  "session/prompt": run,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) {
    const { resolve, reject } = open.get(id);
    if (error) reject(error);
    else resolve(result);
  } else if (methods[method]) {
    Promise.resolve(methods[method](params)).then((done) => send({ id, result: done }));
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: `no method ${method}` } });
  }
}
