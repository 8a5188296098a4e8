// What the client prints: one JSON object a line, its `event` first.

/** Everything that a turn or the end waits for is told here. */
export class Events {
  failed = false;
  #waiting = [];

  print(event, body = {}) {
    process.stdout.write(`${JSON.stringify({ event, ...body })}\n`);
  }

  /** Prints an event that makes the exit code 1. */
  fail(event, body) {
    this.failed = true;
    this.print(event, body);
  }

  error(method, { code = -32603, message, data = null }) {
    this.fail("error", { method, code, message, data });
  }

  /** Waits for the next `update`, `permission` or `interrupt`. */
  when(what) {
    return new Promise((resolve) => this.#waiting.push({ what, resolve }));
  }

  /** Tells those who wait for this; whether there were any. */
  seen(what) {
    const due = this.#waiting.filter((waiter) => waiter.what === what);
    for (const { resolve } of due) resolve("due");
    this.#waiting = this.#waiting.filter((waiter) => waiter.what !== what);
    return due.length > 0;
  }

  /** Nobody waits any more. */
  forget() {
    this.#waiting = [];
  }
}
