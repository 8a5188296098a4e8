// The capabilities of the client; nothing else is requested or sent (INIT-16).

const has = (value) => value !== undefined && value !== null;

const gates = {
  boolean: ({ session }) => has(session?.configOptions?.boolean),
  notice: ({ session }) => has(session?.notices),
  compaction_update: ({ session }) => has(session?.compaction),
  compaction_summary_chunk: ({ session }) => has(session?.compaction),
  plan_update: ({ plan }) => has(plan),
  plan_removed: ({ plan }) => has(plan),
  subagent_update: ({ subagents }) => has(subagents),
  session_message: ({ subagents }) => has(subagents),
  session_message_chunk: ({ subagents }) => has(subagents),
  "fs/read_text_file": ({ fs }) => fs?.readTextFile === true,
  "fs/write_text_file": ({ fs }) => fs?.writeTextFile === true,
  "elicitation/form": ({ elicitation }) => has(elicitation?.form),
  "elicitation/url": ({ elicitation }) => has(elicitation?.url),
};

/** Returns whether the client supports a method, a kind of update, or `boolean` options. */
export function offers(capabilities, what) {
  if (what.startsWith("terminal/")) return capabilities.terminal === true;
  return Object.hasOwn(gates, what) ? gates[what](capabilities) : true;
}
