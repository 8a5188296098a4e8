// The output of the client: one JSON object per line, with `event` first.

/** Tells turns, and the code that ends the program, about the events that they wait for. */
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

  /** Notifies the waiters of this event; returns whether there were any. */
  seen(what) {
    const due = this.#waiting.filter((waiter) => waiter.what === what);
    for (const { resolve } of due) resolve("due");
    this.#waiting = this.#waiting.filter((waiter) => waiter.what !== what);
    return due.length > 0;
  }

  /** Drops all waiters. */
  forget() {
    this.#waiting = [];
  }
}
