// Delivers messages one at a time. The SDK starts the handlers of messages that arrive together in
// the order of their registration, and delivers a reply before earlier messages. Here each message
// is started before the next one is read.
import { setImmediate as immediate } from "node:timers/promises";

/** Returns the same stream, with a turn of the event loop after each received message. */
export function inOrder({ readable, writable }) {
  const one = new TransformStream({
    async transform(message, controller) {
      controller.enqueue(message);
      await immediate();
    },
  });
  return { writable, readable: readable.pipeThrough(one) };
}
