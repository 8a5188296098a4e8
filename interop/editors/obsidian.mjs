// Sends PROMPT through the client of the Obsidian plugin Agent Client, answers its question with
// the first option of the kind ANSWER, and prints the updates:
// node obsidian.mjs CLIENT ENTRY PROMPT ANSWER
// CLIENT is the module `src/acp/acp-client.ts` of the plugin, built for Node.js. ENTRY is a file
// with the fields that `attache setup obsidian` prints.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, entry, prompt, answer] = process.argv.slice(2);
const { AcpClient } = await import(pathToFileURL(module).href);
const lines = readFileSync(entry, "utf8").trimEnd().split("\n");
const fields = Object.fromEntries(lines.map((line) => line.split(/ {2,}/)));
// Each line without a name is one more argument.
const args = [fields.Arguments, ...lines.filter((line) => line.startsWith(" ")).map((l) => l.trim())];

globalThis.window = globalThis;
const settings = { autoAllowPermissions: false, nodePath: "", windowsWslMode: false };
const client = new AcpClient({ settings, manifest: { version: "0" } });
let asked = false;
client.onSessionUpdate((update) => {
  console.log(JSON.stringify(update));
  const question = update.permissionRequest;
  if (question?.isActive && !asked) {
    asked = true;
    const { optionId } = question.options.find(({ kind }) => kind === answer);
    // The plugin takes an answer only after it has shown the question.
    setImmediate(() => client.respondToPermission(question.requestId, optionId));
  }
});
await client.initialize({
  id: fields["Agent ID"],
  displayName: fields["Display name"],
  command: fields.Path,
  args,
  workingDirectory: process.cwd(),
});
const { sessionId } = await client.newSession(process.cwd());
await client.sendPrompt(sessionId, [{ type: "text", text: prompt }]);
await client.disconnect();
console.log(`ended, asked: ${asked}`);
process.exit(asked ? 0 : 1);
