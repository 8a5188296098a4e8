import type { OfSession } from "../../../../crates/serve/types.ts";

/** Returns a key for maps. */
export function keyOf({ agent, sessionId }: OfSession): string {
  return JSON.stringify([agent, sessionId]);
}

/** The address of a session in the page. */
export function addressOf({ agent, sessionId }: OfSession): string {
  return `#/s/${encodeURIComponent(agent)}/${encodeURIComponent(sessionId)}`;
}

/** Reads an address of the page; `null` if it names no session. */
export function fromAddress(address: string): OfSession | null {
  const match = /^#\/s\/([^/]+)\/(.+)$/.exec(address);
  if (match === null) return null;
  try {
    const [agent, sessionId] = [match[1] ?? "", match[2] ?? ""].map(decodeURIComponent);
    return { agent: agent ?? "", sessionId: sessionId ?? "" };
  } catch {
    return null;
  }
}

/**
 * Reads the id of a session in ACP: the agent's name, `/`, and the id. In the name, `%` and `/` are
 * escaped.
 */
export function fromWire(id: string): OfSession | null {
  const slash = id.indexOf("/");
  if (slash < 0) return null;
  const agent = id.slice(0, slash).replaceAll("%2F", "/").replaceAll("%25", "%");
  return { agent, sessionId: id.slice(slash + 1) };
}
