// The way to an agent at an address, over WebSocket or streamable HTTP.
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";

/**
 * Opens a stream to this address, with a bearer token if there is one. On Node.js 20, WebSocket needs
 * `node --experimental-websocket`.
 */
export function serverStream(url, token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (url.startsWith("http")) return createHttpStream(url, { headers });
  return createWebSocketStream(url, { headers, WebSocket: socketWithHeaders() });
}

/** The WebSocket of Node.js, which takes headers in its second argument. */
function socketWithHeaders() {
  return class extends WebSocket {
    constructor(address, protocols = [], options = {}) {
      super(address, { protocols, headers: options.headers });
    }
  };
}
