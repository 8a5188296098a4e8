// The command line.
import fs from "node:fs";
import path from "node:path";
import { parseStep, parseSteps } from "../script.mjs";

const usage = `usage: client.mjs [--cwd DIR] [--load ID | --resume ID | --fork ID | --no-session] [--directory DIR]… [--mcp FILE]
  [--system-prompt TEXT] [--without NAME]… [--script FILE | --step STEP…] (--url URL | -- COMMAND ARGS…)`;

function fail(message) {
  console.error(message);
  process.exit(2);
}

/**
 * Reads the servers of a file in the common format: `{"mcpServers": {NAME: {command, args, env} |
 * {type, url, headers}}}`.
 */
function readServers(file) {
  const list = (object) => Object.entries(object ?? {}).map(([name, value]) => ({ name, value }));
  return Object.entries(JSON.parse(fs.readFileSync(file, "utf8")).mcpServers).map(([name, server]) => {
    if (server.url) return { type: server.type ?? "http", name, url: server.url, headers: list(server.headers) };
    return { name, command: absolute(server.command), args: server.args ?? [], env: list(server.env) };
  });
}

/** Returns the path of a program, looked up as the shell does (RPC-31). */
function absolute(command) {
  if (command.includes("/")) return path.resolve(command);
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const found = folders.map((folder) => path.join(folder, command)).find((file) => fs.existsSync(file));
  return found ?? fail(`${command}: not found`);
}

export function commandLine(words) {
  const work = { cwd: ".", opening: "new", sessionId: undefined, directories: [], servers: [], without: new Set(), agent: [] };
  let [script, steps] = [0, undefined];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--script") script = words.shift();
    else if (word === "--step") (steps ??= []).push(words.shift());
    else if (word === "--cwd") work.cwd = words.shift();
    else if (/^--(load|resume|fork)$/.test(word)) [work.opening, work.sessionId] = [word.slice(2), words.shift()];
    else if (word === "--no-session") work.opening = undefined;
    else if (word === "--directory") work.directories.push(words.shift());
    else if (word === "--mcp") work.mcp = words.shift();
    else if (word === "--system-prompt") work.systemPrompt = words.shift();
    else if (word === "--without") work.without.add(words.shift());
    else if (word === "--url") work.url = words.shift();
    else if (word === "--") work.agent = words.splice(0);
    else fail(`${word}: unknown option`);
  }
  if (!work.agent.length === !work.url) fail(usage);
  try {
    work.steps = steps ? steps.map(parseStep) : parseSteps(fs.readFileSync(script, "utf8"));
    work.cwd = fs.realpathSync(work.cwd);
    // A repeated folder, or the session's own, is dropped (DIR-02).
    const folders = work.directories.map((folder) => fs.realpathSync(folder));
    work.directories = [...new Set(folders)].filter((folder) => folder !== work.cwd);
    if (work.mcp) work.servers = readServers(work.mcp);
    return work;
  } catch (error) {
    return fail(error.message);
  }
}
