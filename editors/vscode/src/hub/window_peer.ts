import { Peer } from "../../../../web/src/protocol/peer.ts";

/** Serves a call of the hub. */
export type Serve = (method: string, params: unknown) => Promise<unknown>;

/** An error that the hub gets as the answer to its call. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = "Refusal";
  }
}

const INTERNAL = -32603;

/** The window's side of the connection: unlike a page, it serves calls of the hub. */
export class WindowPeer extends Peer {
  constructor(
    send: (text: string) => void,
    notified: (method: string, params: unknown) => void,
    private readonly serve: Serve,
  ) {
    super(send, notified);
  }

  protected override asked(id: unknown, method: string, params: unknown): void {
    this.serve(method, params).then(
      (result) => this.send(JSON.stringify({ jsonrpc: "2.0", id, result })),
      (failed: Error) => {
        const code = failed instanceof Refusal ? failed.code : INTERNAL;
        const error = { code, message: failed.message };
        this.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
      },
    );
  }
}
