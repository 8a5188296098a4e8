import type { Scope } from "../../../crates/serve/types.ts";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { attempt, hubState, isLocal, may } from "../store/app.ts";
import { Spans } from "./text.tsx";

/** Says what the scope of this device does not allow, and asks for more. */
export function NeedsScope({ scope, what }: { scope: Scope; what: string }): JSX.Element | null {
  const asked = useSignal(false);
  if (may(scope)) return null;
  const ask = async (): Promise<void> => {
    asked.value = (await attempt("_attache/ask_scope", { scope })) !== null;
  };
  return (
    <div class="needs-scope">
      <span>This device may not {what}.</span>
      {asked.value ? (
        <span role="status">Asked. A person at the machine of the hub decides.</span>
      ) : (
        <button onClick={() => void ask()}>Ask for {scope}</button>
      )}
    </div>
  );
}

function grantCommand({ device, scope }: { device: string; scope: Scope }): string {
  return `attache serve devices grant ${device} ${scope}`;
}

/** The devices that ask for a larger scope. */
export function ScopeRequests(): JSX.Element | null {
  const requests = hubState.value?.scopeRequests ?? [];
  if (requests.length === 0) return null;
  return (
    <section aria-label="Devices that ask for more">
      {requests.map((request) => (
        <div key={request.device} class="needs-scope">
          <span>
            <Spans line={request.name} /> asks for {request.scope}.
          </span>
          {isLocal.value ? (
            <button
              onClick={() =>
                void attempt("_attache/device", {
                  id: request.device,
                  change: { type: "scope", scope: request.scope },
                })
              }
            >
              Grant {request.scope}
            </button>
          ) : (
            <span class="muted">
              To allow it, run <code>{grantCommand(request)}</code> on the machine of the hub.
            </span>
          )}
        </div>
      ))}
    </section>
  );
}
