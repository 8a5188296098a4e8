import type { DeviceChange, DeviceItem, Scope } from "../../../crates/serve/types.ts";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { attempt, hubState, isLocal, may, panel } from "../store/app.ts";
import { clock, plain } from "../text.ts";
import { NeedsScope } from "./scope.tsx";
import { Sheet } from "./sheet.tsx";
import { Spans } from "./text.tsx";

const SCOPES: Scope[] = ["watch", "answer", "control"];

interface DeviceProps {
  device: DeviceItem;
  /** Changes only this: the rest of `device` may be out of date. */
  change(change: DeviceChange): void;
}

function Device(props: DeviceProps): JSX.Element {
  const { device } = props;
  return (
    <li class="device">
      <span class="session-text">
        <span class="strong">
          <Spans line={device.name} />
        </span>
        <span class="muted">
          added {clock(device.addedAt)} · used {clock(device.usedAt)}
        </span>
      </span>
      {isLocal.value ? (
        <>
          <select
            aria-label={`What ${plain(device.name)} may do`}
            value={device.scope}
            onChange={(event) =>
              props.change({ type: "scope", scope: event.currentTarget.value as Scope })
            }
          >
            {SCOPES.map((scope) => (
              <option key={scope} value={scope} selected={scope === device.scope}>
                {scope}
              </option>
            ))}
          </select>
          <label class="option">
            <input
              type="checkbox"
              checked={device.protectedFiles}
              onChange={(event) =>
                props.change({ type: "protected_files", allowed: event.currentTarget.checked })
              }
            />
            also protected files
          </label>
          <button class="danger" onClick={() => props.change({ type: "revoke" })}>
            Revoke
          </button>
        </>
      ) : (
        <span class="chip">{device.scope}</span>
      )}
    </li>
  );
}

/** The devices that may use the hub, and the front ends that are attached now. */
export function DevicesPanel(): JSX.Element {
  const devices = useSignal<DeviceItem[] | null>(null);
  const allowed = may("control");
  const read = async (): Promise<void> => {
    devices.value = (await attempt("_attache/devices", {}))?.devices ?? devices.value;
  };
  useEffect(() => {
    if (allowed) void read();
  }, [allowed]);
  const change = async (id: string, change: DeviceChange): Promise<void> => {
    await attempt("_attache/device", { id, change });
    await read();
  };
  return (
    <Sheet title="Devices" close={() => (panel.value = null)}>
      <NeedsScope scope="control" what="see and change devices" />
      <h3>Attached now</h3>
      <ul>
        {hubState.value?.clients.map((client) => (
          <li key={client.id}>
            <Spans line={client.name} /> <span class="chip">{client.scope}</span>
            {client.own && <span class="muted"> this page</span>}
          </li>
        ))}
      </ul>
      {allowed && (
        <>
          <h3>Devices</h3>
          <p class="muted">
            Devices are changed on the machine of the hub with{" "}
            <code>attache serve devices</code>, which adds, grants and revokes.
          </p>
          <ul>
            {devices.value?.map((device) => (
              <Device
                key={device.id}
                device={device}
                change={(wanted) => void change(device.id, wanted)}
              />
            ))}
          </ul>
        </>
      )}
      <p>
        <a href="/trace">Messages between the hub and its agents</a>
      </p>
      <p class="muted">
        A device that watches can read everything in the sessions. Control is as much as running
        any command on the machine of the hub.
      </p>
    </Sheet>
  );
}
