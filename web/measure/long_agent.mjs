// An agent whose only turn has as many messages as the prompt says: answers, thoughts, tool calls
// with diffs and output, as they are in long sessions.
import { createInterface } from "node:readline";

const write = (message) =>
  new Promise((written) => {
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`, written);
  });

const text = (words) => ({ type: "text", text: words });

/** A text of a length that differs from message to message. */
const words = (at) =>
  Array.from({ length: 1 + (at % 7) }, (_, part) =>
    `Part ${part} of message ${at} has **bold words**, \`code\` and [a link](https://example.org).`,
  ).join(at % 2 === 0 ? " " : "\n\n");

const CODE = "\n\n```rust\nfn main() {\n    let total = 1;\n    show(total);\n}\n```\n";

const source = (name) =>
  Array.from({ length: 12 }, (_, at) => {
    const own = at === 6 ? name : `line${at}`;
    return `    let ${own} = ${at};\n`;
  }).join("");

/** The update of a message. Messages with other ids are other messages. */
function message(at) {
  const id = `call-${at}`;
  switch (at % 5) {
    case 0:
      return {
        sessionUpdate: "agent_thought_chunk",
        messageId: `m${at}`,
        content: text(words(at)),
      };
    case 1:
      return {
        sessionUpdate: "tool_call",
        toolCallId: id,
        kind: "edit",
        title: `Edit file ${at}`,
        status: "completed",
        content: [
          {
            type: "diff",
            path: `/tmp/file${at}.rs`,
            oldText: source("total"),
            newText: source("sum"),
          },
        ],
      };
    case 2:
      return {
        sessionUpdate: "tool_call",
        toolCallId: id,
        kind: "execute",
        title: `Run test ${at}`,
        status: at % 3 === 0 ? "failed" : "completed",
        rawInput: { command: `cargo test number_${at}` },
        content: [{ type: "content", content: text(`test ${at} ... ok\n`.repeat(1 + (at % 20))) }],
      };
    default:
      return {
        sessionUpdate: "agent_message_chunk",
        messageId: `m${at}`,
        content: text(words(at) + (at % 5 === 3 ? CODE : "")),
      };
  }
}

async function prompt(id, { sessionId, prompt: content }) {
  const count = Number(content.find(({ type }) => type === "text")?.text);
  for (let at = 0; at < count; at++) {
    await write({ method: "session/update", params: { sessionId, update: message(at) } });
  }
  await write({ id, result: { stopReason: "end_turn" } });
}

const CAN = { promptCapabilities: { image: true } };
let sessions = 0;
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: CAN }),
  "session/new": () => ({ sessionId: `long-${++sessions}` }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "session/prompt") await prompt(id, params);
  else if (id !== undefined && method in answers) await write({ id, result: answers[method]() });
  else if (id !== undefined && method !== undefined) {
    await write({ id, error: { code: -32601, message: `method not found: ${method}` } });
  }
}
