// Questions to the person: a form if the client supports forms, otherwise text.
import { offers } from "./offers.mjs";

const requestedSchema = {
  type: "object",
  properties: { answer: { type: "string", title: "Answer" } },
  required: ["answer"],
};

/**
 * Returns the result of a question in words. An invalid answer never counts as an answer (ELIC-16,
 * ELIC-23).
 */
export async function elicit(turn, message, toolCallId) {
  if (!offers(turn.session.sessions.clientCapabilities, "elicitation/form")) return `No form can be shown here: ${message}`;
  const scope = { sessionId: turn.sessionId, ...(toolCallId && { toolCallId }) };
  const { action, content } = await turn.request("elicitation/create", { ...scope, mode: "form", message, requestedSchema });
  if (action === "accept") return typeof content?.answer === "string" ? `answer: ${content.answer}` : "the answer does not fit the form";
  return { decline: "declined", cancel: "dismissed" }[action] ?? "not answered";
}
