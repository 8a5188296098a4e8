// Permission requests, and permanent decisions.

const options = [
  ["allow_once", "Allow once"],
  ["allow_always", "Allow always"],
  ["reject_once", "Reject once"],
  ["reject_always", "Reject always"],
].map(([kind, name]) => ({ optionId: kind, name, kind }));

/** Returns the chosen option, or `cancelled` for an option that was not offered (PERM-04). */
export async function ask(turn, toolCall) {
  const { sessionId } = turn;
  try {
    const { outcome } = await turn.request("session/request_permission", { sessionId, toolCall, options });
    turn.throwIfCancelled();
    const isOffered = outcome.outcome === "selected" && options.some(({ optionId }) => optionId === outcome.optionId);
    return isOffered ? outcome.optionId : "cancelled";
  } catch (error) {
    turn.throwIfCancelled();
    console.error(`a permission request failed: ${error.message}`);
    return "cancelled";
  }
}

/**
 * Returns whether a tool of this kind may run: by earlier decisions, by the mode, or by the
 * person's answer (PERM-07).
 */
export async function allows(turn, kind, toolCall) {
  const { options: values, decided } = turn.session.record;
  if (decided[kind] || values.mode === "code") return decided[kind] !== "reject";
  const answer = await ask(turn, toolCall);
  if (answer.endsWith("_always")) decided[kind] = answer.split("_")[0];
  return answer.startsWith("allow");
}
