// Checks what a build and the Marketplace need, and that lines are short.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const COLUMNS = 100;
const LINES = 400;

const root = fileURLToPath(new URL(".", import.meta.url));
const problems = [];
const sources = ["src", "tests"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
);
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
let code = "";
for (const name of sources.filter((name) => name.endsWith(".ts"))) {
  const text = readFileSync(join(root, name), "utf8");
  code += text;
  const lines = text.split("\n");
  if (lines.length > LINES) problems.push(`${name} has ${lines.length} lines`);
  for (const [index, line] of lines.entries()) {
    if (line.length > COLUMNS) problems.push(`${name}:${index + 1} is longer than ${COLUMNS}`);
  }
}
// Every command of the manifest is one of the code.
for (const { command } of manifest.contributes.commands) {
  const name = command.replace("attache.", "");
  if (!new RegExp(`\\b${name}: `).test(code)) problems.push(`no code for the command ${command}`);
}
for (const [name, { scope }] of Object.entries(manifest.contributes.configuration.properties)) {
  if (scope !== "machine") problems.push(`a workspace can set ${name}: its scope must be machine`);
}
if (manifest.capabilities.untrustedWorkspaces.supported !== false) {
  problems.push("an untrusted workspace must start nothing");
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
execFileSync(process.execPath, [join(root, "build.mjs")], { stdio: "inherit" });
