/** An error that the hub answered, or the loss of the connection. */
export class CallError extends Error {
  constructor(
    message: string,
    /** Whether the connection ended before the answer came: it is unknown what happened. */
    readonly lost: boolean,
    /** Whether the hub stopped the call because this side asked for it. */
    readonly cancelled = false,
  ) {
    super(message);
    this.name = "CallError";
  }
}

interface OpenCall {
  resolve(result: unknown): void;
  reject(error: CallError): void;
}

interface Incoming {
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: { code?: unknown; message?: unknown; data?: unknown };
}

const METHOD_NOT_FOUND = -32601;
const CANCELLED = -32800;

/** One side of a JSON-RPC 2.0 connection that makes calls and receives notifications. */
export class Peer {
  private next = 1;
  private readonly open = new Map<number, OpenCall>();

  constructor(
    protected readonly send: (text: string) => void,
    private readonly notified: (method: string, params: unknown) => void,
  ) {}

  /** Calls a method. Once `signal` aborts, asks the other side to stop; its answer still counts. */
  call(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    const id = this.next++;
    const cancel = (): void => {
      if (!this.open.has(id)) return;
      const params = { requestId: id };
      this.send(JSON.stringify({ jsonrpc: "2.0", method: "$/cancel_request", params }));
    };
    signal?.addEventListener("abort", cancel, { once: true });
    return new Promise((resolve, reject) => {
      this.open.set(id, { resolve, reject });
      this.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** Takes a message. Messages that are not JSON-RPC are ignored. */
  receive(text: string): void {
    let message: Incoming;
    try {
      message = JSON.parse(text) as Incoming;
    } catch {
      return;
    }
    if (typeof message !== "object" || message === null) return;
    if (typeof message.method === "string") {
      if (message.id === undefined) this.notified(message.method, message.params);
      else this.asked(message.id, message.method, message.params);
    } else if (typeof message.id === "number") {
      this.settle(message.id, message);
    }
  }

  /** Fails all open calls, because the connection ended. */
  end(why: string): void {
    for (const call of this.open.values()) call.reject(new CallError(why, true));
    this.open.clear();
  }

  /** Takes a call of the hub. The page offers no methods. */
  protected asked(id: unknown, method: string, _params: unknown): void {
    const error = { code: METHOD_NOT_FOUND, message: `method not found: ${method}` };
    this.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }

  private settle(id: number, reply: Incoming): void {
    const call = this.open.get(id);
    if (call === undefined) return;
    this.open.delete(id);
    if (reply.error === undefined) {
      call.resolve(reply.result);
      return;
    }
    const { code, data, message } = reply.error;
    const detail = typeof data === "string" ? data : message;
    const why = typeof detail === "string" ? detail : "the hub failed";
    call.reject(new CallError(why, false, code === CANCELLED));
  }
}
