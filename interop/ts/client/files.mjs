// `fs/read_text_file` and `fs/write_text_file` on real files inside the session's folders.
import * as acp from "@agentclientprotocol/sdk/unstable";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Returns the real path. For a missing file, the real path of its folder counts. Throws if the path
 * is outside of the session's folders or is a dangling link.
 */
export function inside(roots, file) {
  if (path.isAbsolute(file)) {
    const isNew = !fs.lstatSync(file, { throwIfNoEntry: false });
    const real = isNew ? path.join(fs.realpathSync(path.dirname(file)), path.basename(file)) : fs.realpathSync(file);
    if (roots.some((root) => `${real}/`.startsWith(root.endsWith("/") ? root : `${root}/`))) return real;
  }
  throw acp.RequestError.invalidParams(undefined, `${file} is not an absolute path inside the session's folders`);
}

function onFile(roots, file, act) {
  try {
    return act(inside(roots, file));
  } catch (error) {
    if (error instanceof acp.RequestError) throw error;
    const missing = error.code === "ENOENT" && { uri: pathToFileURL(file).href };
    throw new acp.RequestError(missing ? -32002 : -32603, error.message, missing || undefined);
  }
}

export function readFile(roots, params) {
  return onFile(roots, params.path, (file) => {
    // Reading a pipe could block forever.
    if (!fs.statSync(file).isFile()) throw new Error(`${file} is not a file`);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(file));
    const lines = text.split(/(?<=\n)/);
    const first = Math.max((params.line ?? 1) - 1, 0);
    return { content: lines.slice(first, first + (params.limit ?? lines.length)).join("") };
  });
}

export function writeFile(roots, params) {
  return onFile(roots, params.path, (file) => {
    fs.writeFileSync(file, params.content);
    return {};
  });
}
