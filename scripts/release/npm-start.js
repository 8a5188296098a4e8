#!/usr/bin/env node
// Starts the program in the package of this platform, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const { isatty } = require("node:tty");

const platform = `${process.platform}-${process.arch}`;
const suffix = process.platform === "win32" ? ".exe" : "";
let program;
try {
  program = require.resolve(`@attache/${platform}/bin/attache${suffix}`);
} catch {
  console.error(
    `error: attache has no program for ${platform}, or npm left it out: install it with optional ` +
      `dependencies, or build it from source`,
  );
  process.exit(3);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`error: ${program} cannot be started: ${error.message}`);
  process.exit(3);
});
// A terminal sends Ctrl-C to both processes; other signals come only to this one.
const inTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !inTerminal) child.kill(signal);
  });
}
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
