// An open session of version 2: its prompts run one after the other, and `state_update` reports
// what it is doing.
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { setOption } from "../options.mjs";
import { slashCommands } from "../slash.mjs";
import { configOptions } from "./options.mjs";
import { Turn } from "./turn.mjs";

const { client: toClient } = acp.methods;
const { invalidParams, requestCancelled } = acp.RequestError;

/** Updates that are history: a resume with a replay sends them again. */
const history = new Set(["user_message", "agent_message", "agent_thought", "tool_call_update", "plan_update", "compaction_update"]);

/** Throws if the prompt is empty or has content that was not offered; it is then not inserted. */
function check(prompt) {
  if (!prompt.length) throw invalidParams(undefined, "the prompt is empty");
  const taken = new Set(["text", "resource_link", "image", "resource"]);
  const other = prompt.find(({ type }) => !taken.has(type));
  if (other) throw invalidParams(undefined, `${other.type} was not offered`);
}

export class Session {
  turn = undefined;
  /** The capabilities of the client. */
  clientCapabilities = {};
  /** The prompts that wait for the end of the turn, in order. */
  #held = [];

  constructor(store, client, record) {
    Object.assign(this, { store, client, record });
  }

  /** The gates of offers.mjs: a client of version 2 accepts every update. */
  get sessions() {
    const marker = {};
    const session = { notices: marker, compaction: marker };
    return { clientCapabilities: { session, plan: marker, subagents: marker, elicitation: this.clientCapabilities.elicitation } };
  }

  notify(update) {
    return this.client.notify(toClient.session.update, { sessionId: this.record.id, update });
  }

  /** Sends an update and stores it for a replay. */
  async update(update) {
    if (history.has(update.sessionUpdate)) this.record.transcript.push(structuredClone(update));
    await this.notify(update);
  }

  save() {
    this.record.updatedAt = new Date().toISOString();
    this.store.save(this.record);
  }

  state(state, fields = {}) {
    return this.notify({ sessionUpdate: "state_update", state, ...fields });
  }

  /** Sends the commands and the current state of a session that is new to the client. */
  async greet() {
    const availableCommands = slashCommands.map(({ input, ...command }) => ({
      type: "command",
      ...command,
      ...(input && { input: { type: "text", ...input } }),
    }));
    await this.notify({ sessionUpdate: "available_commands_update", availableCommands });
    // A prompt can follow the reply immediately, and then it reports the state.
    if (!this.turn) await this.state("idle");
  }

  async set({ configId, type, value }) {
    const expected = { id: "string", boolean: "boolean" }[type];
    if (typeof value !== expected) throw invalidParams(undefined, `a value of the type ${type} is not supported`);
    setOption(this.record.options, configId, value, true);
    this.save();
    return { configOptions: configOptions(this.record.options) };
  }

  /** Inserts a prompt once no turn is running, and replies then; the turn runs on. */
  async prompt(prompt, signal) {
    check(prompt);
    while (this.turn) await this.#hold(signal);
    const turn = new Turn(this);
    this.turn = turn;
    const messageId = turn.newMessageId();
    await this.state("running");
    await this.update({ sessionUpdate: "user_message", messageId, content: prompt });
    turn.ended = new Promise(setImmediate)
      .then(() => turn.run(prompt))
      .then(async (idle) => {
        this.save();
        await this.state("idle", idle);
        this.turn = undefined;
        this.#held.shift()?.resolve();
      });
    return { messageId };
  }

  #hold(signal) {
    return new Promise((resolve, reject) => {
      const held = { resolve, reject };
      this.#held.push(held);
      const withdraw = () => {
        this.#held = this.#held.filter((other) => other !== held);
        reject(requestCancelled());
      };
      signal.addEventListener("abort", withdraw, { once: true });
    });
  }

  /** Cancels the turn and every prompt that waits for its end. */
  cancel() {
    for (const { reject } of this.#held.splice(0)) reject(requestCancelled());
    this.turn?.cancel();
  }

  cancelCall(toolCallId) {
    const call = this.turn?.calls.get(toolCallId);
    if (!call?.cancel) throw invalidParams({ toolCallId }, "this tool call cannot be cancelled");
    call.cancel();
    return {};
  }
}
