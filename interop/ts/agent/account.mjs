// The login state and the addresses of models. The account starts logged in; nothing is stored.
import * as acp from "@agentclientprotocol/sdk/unstable";

const { client: toClient } = acp.methods;

export class Account {
  #isLoggedIn = true;

  /**
   * A terminal method is offered only to a client that can start the agent again for it (AUTH-05).
   */
  methods(clientCapabilities) {
    const login = { id: "login", name: "Log in" };
    const terminal = { type: "terminal", id: "login-terminal", name: "Log in in a terminal", args: ["login"] };
    return clientCapabilities.auth?.terminal ? [login, terminal] : [login];
  }

  require() {
    if (!this.#isLoggedIn) throw acp.RequestError.authRequired();
  }

  status() {
    if (!this.#isLoggedIn) return { state: "unauthenticated" };
    return { state: "authenticated", accounts: [{ label: "A person", active: true }] };
  }

  authenticate({ methodId }, client) {
    if (methodId !== "login") throw acp.RequestError.invalidParams(undefined, `${methodId} is not an authentication method`);
    return this.#become(true, client);
  }

  logout(client) {
    return this.#become(false, client);
  }

  async #become(isLoggedIn, client) {
    const isChange = this.#isLoggedIn !== isLoggedIn;
    this.#isLoggedIn = isLoggedIn;
    if (isChange) await client.notify(toClient.auth.statusUpdate, this.status());
    return {};
  }
}

/** The providers of models. Headers are never sent to the client (PROV-05). */
export class Providers {
  #known = new Map([
    ["main", { required: true, supported: ["openai", "anthropic"], current: { apiType: "openai", baseUrl: "http://127.0.0.1:9/v1" } }],
    ["spare", { required: false, supported: ["openai"] }],
  ]);

  list() {
    const told = ([providerId, { supported, required, current }]) => ({ providerId, supported, required, ...(current && { current }) });
    return { providers: [...this.#known].map(told) };
  }

  set({ providerId, apiType, baseUrl, headers }) {
    const provider = this.#known.get(providerId);
    if (!provider) throw acp.RequestError.invalidParams(undefined, `provider ${providerId} does not exist`);
    if (!provider.supported.includes(apiType)) throw acp.RequestError.invalidParams(undefined, `${providerId} does not speak ${apiType}`);
    provider.current = { apiType, baseUrl };
    provider.headers = headers ?? {};
    return {};
  }

  disable({ providerId }) {
    const provider = this.#known.get(providerId);
    if (provider?.required) throw acp.RequestError.invalidParams(undefined, `${providerId} is required`);
    delete provider?.current;
    delete provider?.headers;
    return {};
  }
}
