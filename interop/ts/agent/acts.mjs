// Acts: the actions of a turn, written in its prompt as JSON: `words {"acts":[…]}`. Each act
// represents one response of a model.
import { offers } from "./offers.mjs";

/** Returns the acts in a text and the text without them; `undefined` if there are none. */
export function parseActs(text) {
  const from = text.lastIndexOf('{"acts":');
  for (let to = text.indexOf("}", from); from >= 0 && to > 0; to = text.indexOf("}", to + 1)) {
    try {
      const { acts } = JSON.parse(text.slice(from, to + 1));
      return { acts, rest: text.slice(0, from) + text.slice(to + 1) };
    } catch {
      // The object does not end at this brace, so try the next one.
    }
  }
  return undefined;
}

/** Splits a text into up to three pieces between characters. */
function pieces(text) {
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / 3));
  const cuts = [];
  for (let at = 0; at < characters.length; at += size) cuts.push(characters.slice(at, at + size).join(""));
  return cuts;
}

/** Performs the acts in order; returns the stop reason. */
export async function performActs(turn, acts) {
  for (const act of acts) {
    turn.throwIfCancelled();
    const stop = await perform(turn, act);
    if (stop) return stop;
  }
  return "end_turn";
}

async function perform(turn, act) {
  await turn.endMessage();
  if (act.fail) throw turn.failure(`the model answered ${act.fail}`);
  if (act.think) await turn.think(act.think);
  if (act.recall !== undefined) await turn.say(`recalled ${turn.recalls(act.recall) ? "yes" : "no"}`);
  for (let times = act.repeat ?? 1; act.say && times > 0; times -= 1) {
    for (const piece of pieces(act.say)) await turn.say(piece);
    await turn.breathe();
  }
  if (act.cut) throw turn.failure("the model broke off");
  if (act.usage) await turn.used(act.usage);
  if (act.hang) await turn.wait();
  if (act.update) await update(turn, act.update);
  if (act.client) await callClient(turn, act.client);
  for (const call of act.call ?? []) {
    turn.throwIfCancelled();
    await turn.callTool(call);
  }
  return { length: "max_tokens", refusal: "refusal" }[act.end];
}

/** Sends an update, and changes the state that it describes. */
async function update(turn, update) {
  const { session } = turn;
  if (!offers(session.sessions.clientCapabilities, update.sessionUpdate)) return turn.say("attache check: no tool for update");
  if (update.sessionUpdate === "session_info_update" && update.title !== undefined) session.record.title = update.title ?? undefined;
  if (update.sessionUpdate === "current_mode_update") return session.set("mode", update.currentModeId, true);
  return session.update(update);
}

const notifications = ["elicitation/complete", "auth/status_update"];

async function callClient(turn, { method, params }) {
  const gate = method === "elicitation/create" ? `elicitation/${params?.mode}` : method;
  if (!offers(turn.session.sessions.clientCapabilities, gate)) return turn.say("attache check: no tool for client");
  if (notifications.includes(method)) return turn.client.notify(method, params);
  const scope = params?.requestId === undefined ? { sessionId: turn.sessionId } : {};
  let told;
  try {
    told = JSON.stringify(await turn.request(method, { ...scope, ...params }));
  } catch (error) {
    turn.throwIfCancelled();
    told = `error ${error.code}`;
  }
  return turn.say(`client: ${told}`);
}
