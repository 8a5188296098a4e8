#!/usr/bin/env python3
"""Runs every test program of the workspace, several at a time, and names the slowest tests.

`cargo test` runs one program after the other, and many of ours wait for foreign peers most of the
time. This script builds the same programs as `cargo test`, runs several at a time, the longest
first, and prints the output of each when it ends. Cargo runs the documentation tests last.

Exits with 1 if a test failed. Arguments are passed to Cargo, such as `-p attache-agent`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CARGO = ["cargo", "test", "--all-features", "--locked"]

# The programs that take longest start first, so that none of them runs alone at the end.
LONGEST = ["foreign", "agent", "run", "client", "coder"]

# A program that runs this long hangs; even on slow machines a suite takes less than half of it.
LIMIT_SECONDS = 40 * 60

TIMED = re.compile(r"^test (?P<name>\S+)(?: - should panic)? \.\.\. \w+ <(?P<seconds>[\d.]+)s>")


def build(selection):
    """Builds the test programs and returns (package folder, target name, program) of each."""
    command = [*CARGO, *selection, "--no-run", "--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit(built.returncode)
    programs = []
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["profile"]["test"]:
            if message["executable"]:
                folder = Path(message["manifest_path"]).parent
                programs.append((folder, message["target"]["name"], message["executable"]))
    rank = lambda program: LONGEST.index(program[1]) if program[1] in LONGEST else len(LONGEST)
    return sorted(programs, key=rank)


def toolchain():
    """Returns the variable that names the toolchain of rustup, as `cargo test` sets it.

    Some tests build projects. Without the variable, a file rust-toolchain.toml of a dependency
    chooses the toolchain, and rustup replaces the installed Rust by what the file asks for.
    """
    if "RUSTUP_TOOLCHAIN" in os.environ or not shutil.which("rustup"):
        return {}
    shown = ["rustup", "show", "active-toolchain"]
    active = subprocess.run(shown, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout.split()
    return {"RUSTUP_TOOLCHAIN": active[0]} if active else {}


def run(program, printing):
    """Runs one test program; returns whether it passed, and its tests with their seconds."""
    folder, target, executable = program
    # Only the report of times needs this variable, and only while the tests run.
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1", "CARGO_MANIFEST_DIR": str(folder)}
    command = [executable, "-Zunstable-options", "--report-time"]
    began = time.monotonic()
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT_SECONDS,
        )
        output, passed = ended.stdout, ended.returncode == 0
    except subprocess.TimeoutExpired as stuck:
        output = (stuck.stdout or b"") + f"\nkilled after {LIMIT_SECONDS} s\n".encode()
        passed = False
    output = output.decode("utf-8", "replace")
    name = f"{folder.name} {target}"
    with printing:
        print(f"\n== {name} ({time.monotonic() - began:.0f} s)", flush=True)
        # A passed program shows only its summary; a failed one shows everything.
        summary = [line for line in output.splitlines() if line.startswith("test result")]
        print("\n".join(summary) if passed else output, flush=True)
    timed = (TIMED.match(line) for line in output.splitlines())
    return passed, name, [(float(test["seconds"]), f"{name} {test['name']}") for test in timed if test]


def main():
    selection = sys.argv[1:] or ["--workspace"]
    programs = build(selection)
    os.environ.update(toolchain())
    printing = threading.Lock()
    with ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
        results = list(pool.map(lambda program: run(program, printing), programs))
    documentation = subprocess.run([*CARGO, *selection, "--doc", "--quiet"], cwd=ROOT)
    slowest = sorted((test for _, _, tests in results for test in tests), reverse=True)[:10]
    print(f"\n{sum(len(tests) for _, _, tests in results)} tests; the slowest:")
    for seconds, test in slowest:
        print(f"{seconds:8.1f} s  {test}")
    failed = [name for passed, name, _ in results if not passed]
    if documentation.returncode != 0:
        failed.append("documentation tests")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


main()
