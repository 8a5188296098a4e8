// Installs code-server, which is VS Code in a browser, and the Node.js that it needs, outside of the
// tree. Prints the folder. Fails with the reason if something cannot be installed.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "4.139.1";
const NODE = "24.21.0";

const caches = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");

/** The folder of the installation. */
export const folder = join(caches, "attache", `code-server-${VERSION}`);

/** The program of Node.js that runs code-server. */
export const node = join(folder, "node/bin/node");

/** The script that starts code-server. */
export const server = join(folder, "server/out/node/entry.js");

function unpack(into, name, as) {
  const run = (command, given) =>
    execFileSync(command, given, { cwd: into, stdio: ["ignore", "pipe", "inherit"] }).toString();
  const [archive] = run("npm", ["pack", "--silent", name]).trim().split("\n").slice(-1);
  run("tar", ["xzf", archive]);
  renameSync(join(into, "package"), join(into, as));
  rmSync(join(into, archive));
}

function install() {
  const parent = join(caches, "attache");
  mkdirSync(parent, { recursive: true });
  const partial = mkdtempSync(join(parent, "installing-"));
  try {
    unpack(partial, `node-${process.platform}-${process.arch}@${NODE}`, "node");
    unpack(partial, `code-server@${VERSION}`, "server");
    const env = { ...process.env, PATH: `${join(partial, "node/bin")}:${process.env["PATH"]}` };
    for (const place of ["server", "server/lib/vscode"]) {
      const given = ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
      const options = { cwd: join(partial, place), env, stdio: ["ignore", "ignore", "inherit"] };
      execFileSync("npm", [...given, "--silent"], options);
    }
    // A run that was faster has installed the same.
    if (existsSync(server)) return;
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(server)) install();
  console.log(folder);
}
