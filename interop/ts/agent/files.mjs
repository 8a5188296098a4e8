// Files of a session: through the client if it supports them, otherwise from disk, and only inside
// the session's folders.
import fs from "node:fs";
import path from "node:path";
import { offers } from "./offers.mjs";

/** Returns the real path; for a missing file, based on its nearest existing folder. */
function real(file) {
  if (fs.lstatSync(file, { throwIfNoEntry: false })) return fs.realpathSync(file);
  return path.join(real(path.dirname(file)), path.basename(file));
}

/**
 * Returns the absolute path. Relative paths belong to the session's folder (DIR-07). Throws
 * if the path is outside of the session's folders (SESS-05).
 */
export function resolve({ record, directories }, file) {
  const absolute = path.resolve(record.cwd, file);
  const roots = [record.cwd, ...directories].filter((folder) => fs.existsSync(folder)).map((folder) => fs.realpathSync(folder));
  if (roots.some((root) => `${real(absolute)}/`.startsWith(`${root}/`))) return absolute;
  throw new Error(`${absolute} is outside of the session's folders`);
}

const through = (turn, method) => offers(turn.session.sessions.clientCapabilities, method);

export async function read(turn, file) {
  const method = "fs/read_text_file";
  if (!through(turn, method)) return fs.readFileSync(file, "utf8");
  const { content } = await turn.request(method, { sessionId: turn.sessionId, path: file });
  return content;
}

/** Returns the text of a file; `undefined` if it does not exist. */
export async function readIfThere(turn, file) {
  try {
    return await read(turn, file);
  } catch {
    turn.throwIfCancelled();
    return undefined;
  }
}

export async function write(turn, file, content) {
  const method = "fs/write_text_file";
  if (through(turn, method)) {
    await turn.request(method, { sessionId: turn.sessionId, path: file, content });
    return;
  }
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}
