// Messages one at a time: the SDK starts the handlers of messages that come together in the order in which they were registered, and hands on a
// reply sooner than what came before it. Here each message is begun before the next is looked at.
import { setImmediate as immediate } from "node:timers/promises";

/** The same stream, with a turn of the event loop after each message that comes. */
export function inOrder({ readable, writable }) {
  const one = new TransformStream({
    async transform(message, controller) {
      controller.enqueue(message);
      await immediate();
    },
  });
  return { writable, readable: readable.pipeThrough(one) };
}
