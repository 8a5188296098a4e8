// Runs a command line: in a terminal of the client if it supports terminals, otherwise in a child
// process.
import { spawn } from "node:child_process";
import { offers } from "./offers.mjs";

/** The limit for stored output, in bytes. Only the end of longer output is stored. */
const limit = 65_536;

/**
 * Runs the command to its end, or until the turn is cancelled; returns exit code, signal and
 * output.
 */
export function run(turn, line, call) {
  const inTerminal = offers(turn.session.sessions.clientCapabilities, "terminal/create");
  return inTerminal ? runInTerminal(turn, line, call) : runAsChild(turn, line, call);
}

/** The terminal is shown, and then released however the turn ends (TERM-10, TOOL-13). */
async function runInTerminal(turn, line, call) {
  const { sessionId } = turn;
  const command = { command: "sh", args: ["-c", line], cwd: turn.session.record.cwd, outputByteLimit: limit };
  const { terminalId } = await turn.request("terminal/create", { sessionId, ...command });
  const terminal = { sessionId, terminalId };
  try {
    await call.start({ content: [{ type: "terminal", terminalId }] });
    const exit = await turn.request("terminal/wait_for_exit", terminal);
    const { output, truncated } = await turn.request("terminal/output", terminal);
    return { ...exit, output, truncated, isShown: true };
  } finally {
    await turn.requestToSettle("terminal/release", terminal);
  }
}

async function runAsChild(turn, line, call) {
  await call.start();
  const child = spawn("sh", ["-c", line], { cwd: turn.session.record.cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const kill = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  };
  turn.onKill(kill);
  turn.cancelled.addEventListener("abort", kill, { once: true });
  let output = Buffer.alloc(0);
  const keep = (bytes) => {
    output = Buffer.concat([output, bytes]).subarray(-limit);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const [exitCode, signal] = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (...ended) => resolve(ended));
  });
  turn.cancelled.removeEventListener("abort", kill);
  turn.onKill(undefined);
  turn.throwIfCancelled();
  return { exitCode, signal, output: output.toString() };
}
