import type { OptionItem, OptionValue } from "../../../crates/serve/types.ts";
import type { JSX } from "preact";
import { attempt, may, panel } from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { plain } from "../text.ts";
import { NeedsScope } from "./scope.tsx";
import { Sheet } from "./sheet.tsx";
import { Spans } from "./text.tsx";

/** The values of an option by their groups, in order. */
function groups(values: OptionValue[]): [string, OptionValue[]][] {
  const found = new Map<string, OptionValue[]>();
  for (const value of values) {
    found.set(value.group, [...(found.get(value.group) ?? []), value]);
  }
  return [...found];
}

function Option(props: { session: ShownSession; option: OptionItem; at: number }): JSX.Element {
  const { session, option } = props;
  const id = `option-${props.at}`;
  const current = option.choices.find((choice) => choice.current);
  const set = (value: string): void => {
    const { agent, sessionId } = session;
    void attempt("_attache/option", { agent, sessionId, option: option.id, value });
  };
  const choice = (value: OptionValue): JSX.Element => (
    <option key={value.id} value={value.id} selected={value.current}>
      {plain(value.name)}
    </option>
  );
  return (
    <div class="field">
      <label for={id}>
        <Spans line={option.name} />
      </label>
      <select
        id={id}
        disabled={!may("control")}
        onChange={(event) => set(event.currentTarget.value)}
      >
        {current === undefined && <option selected>{plain(option.value)}</option>}
        {groups(option.choices).map(([group, values]) =>
          group === "" ? (
            values.map(choice)
          ) : (
            <optgroup key={group} label={group}>
              {values.map(choice)}
            </optgroup>
          ),
        )}
      </select>
      <div class="muted">
        {option.description && <Spans line={option.description} />}
        {current?.description && (
          <div>
            <Spans line={current.description} />
          </div>
        )}
      </div>
    </div>
  );
}

/** The config options and the commands of a session. */
export function Options({ session }: { session: ShownSession }): JSX.Element {
  void session.version.value;
  const { options, commands } = session.state;
  return (
    <Sheet title="Options" close={() => (panel.value = null)}>
      <NeedsScope scope="control" what="change options" />
      {options.length === 0 && <p class="muted">This agent has no options.</p>}
      {options.map((option, index) => (
        <Option key={option.id} session={session} option={option} at={index} />
      ))}
      {commands.length > 0 && <h3>Commands</h3>}
      <dl class="commands">
        {commands.map((command) => (
          <div key={command.name}>
            <dt>
              <code>/{command.name}</code>{" "}
              {command.hint && (
                <span class="muted">
                  <Spans line={command.hint} />
                </span>
              )}
            </dt>
            <dd>
              <Spans line={command.description} />
            </dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}
