// Questions to the person: a form where the client offers one, else words.
import { offers } from "./offers.mjs";

const requestedSchema = {
  type: "object",
  properties: { answer: { type: "string", title: "Answer" } },
  required: ["answer"],
};

/** What came of a question, in words. An answer that is none is never taken for one (ELIC-16, ELIC-23). */
export async function elicit(turn, message, toolCallId) {
  if (!offers(turn.session.sessions.clientCapabilities, "elicitation/form")) return `No form can be shown here: ${message}`;
  const scope = { sessionId: turn.sessionId, ...(toolCallId && { toolCallId }) };
  const { action, content } = await turn.request("elicitation/create", { ...scope, mode: "form", message, requestedSchema });
  if (action === "accept") return typeof content?.answer === "string" ? `answer: ${content.answer}` : "the answer does not fit the form";
  return { decline: "declined", cancel: "dismissed" }[action] ?? "not answered";
}
