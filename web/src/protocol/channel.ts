/** What a channel reports. */
export interface ChannelEvents {
  opened(): void;
  /** One JSON-RPC message. */
  message(text: string): void;
  /** The channel ended. `why` is for a person; `refused` if a login is needed. */
  closed(why: string, refused: boolean): void;
}

/**
 * A way to the hub that carries one JSON-RPC message at a time, in order: a WebSocket in a browser,
 * `postMessage` inside of an editor.
 */
export interface Channel {
  send(text: string): void;
  close(): void;
}

/** Opens a channel. `closed` is called exactly once for each channel. */
export type OpenChannel = (events: ChannelEvents) => Channel;

/** The close code of a hub that no longer knows the device. */
const REFUSED = 1008;

/**
 * Returns a way to open WebSockets at this address. `secret` returns the secret of this tab.
 * `renewed` asks the hub for another one: for a new tab, and once after the hub refused the
 * connection. It returns whether the hub gave one, or needs a login, or does not answer.
 */
export function webSocketChannel(
  address: string,
  secret: () => string | null,
  renewed: () => Promise<"renewed" | "login" | "silent">,
): OpenChannel {
  return (events) => {
    let socket: WebSocket | null = null;
    let ended = false;
    let mayRenew = true;
    const end = (why: string, refused: boolean): void => {
      if (ended) return;
      ended = true;
      events.closed(why, refused);
    };
    const renew = (why: string): void => {
      mayRenew = false;
      void renewed().then((outcome) => {
        if (outcome === "login") end(why, true);
        else if (outcome === "renewed" && !ended) connect();
        else end(why, false);
      });
    };
    const connect = (): void => {
      const own = secret();
      const protocols = own === null ? ["acp"] : ["acp", `attache.${own}`];
      let wasOpen = false;
      socket = new WebSocket(address, protocols);
      socket.onopen = () => {
        wasOpen = true;
        events.opened();
      };
      socket.onmessage = (event) => {
        if (typeof event.data === "string") events.message(event.data);
      };
      socket.onclose = (event) => {
        const why = event.reason || (wasOpen ? "the connection ended" : "the hub does not answer");
        // A browser does not tell a refusal from a hub that does not answer.
        if (wasOpen || event.code === REFUSED || !mayRenew) end(why, event.code === REFUSED);
        else renew(why);
      };
    };
    if (secret() === null) renew("the hub does not answer");
    else connect();
    return {
      send: (text) => socket?.send(text),
      close: () => {
        end("closed", false);
        socket?.close();
      },
    };
  };
}
