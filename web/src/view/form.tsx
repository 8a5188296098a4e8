import type { FieldValue, FormField, FormView } from "../../../crates/serve/types.ts";
import { signal, type Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { JSX, TargetedEvent } from "preact";
import { plain } from "../text.ts";
import { Blocks } from "./blocks.tsx";
import { Spans } from "./text.tsx";

/** What the person filled in, by the names of the fields. */
type Values = Map<string, Signal<FieldValue>>;

function empty(field: FormField): FieldValue {
  if (field.default) return field.default;
  if (field.kind.type === "boolean") return { type: "boolean", value: false };
  if (field.kind.type === "choice" || field.kind.type === "choices") {
    return { type: "choices", value: [] };
  }
  return { type: "text", value: "" };
}

/** The value to send for a field: `undefined` if it stays empty. Throws what is wrong with it. */
export function valueOf(field: FormField, value: FieldValue): unknown {
  const name = plain(field.label);
  const { kind } = field;
  if (value.type === "boolean") return value.value;
  if (value.type === "choices") {
    const choices = kind.type === "choice" || kind.type === "choices" ? kind.choices : [];
    const chosen = value.value.flatMap((index) => choices[index]?.value ?? []);
    if (chosen.length === 0 && field.required) throw new Error(`choose a value for ${name}`);
    if (kind.type === "choice") return chosen[0];
    return chosen.length > 0 || field.required ? chosen : undefined;
  }
  if (value.value.trim() === "") {
    if (field.required) throw new Error(`${name} is required`);
    return undefined;
  }
  if (kind.type !== "number" && kind.type !== "integer") return value.value;
  const number = Number(value.value);
  if (!Number.isFinite(number)) throw new Error(`${name} must be a number`);
  if (kind.type === "integer" && !Number.isInteger(number)) {
    throw new Error(`${name} must be a whole number`);
  }
  return number;
}

function Field(props: { field: FormField; at: number; value: Signal<FieldValue> }): JSX.Element {
  const { field, value } = props;
  const id = `field-${props.at}`;
  const hint = [field.description, field.allowed].filter((line) => plain(line) !== "");
  const described = hint.length > 0 ? `${id}-hint` : undefined;
  const help = hint.length > 0 && (
    <div id={described} class="muted">
      {hint.map((line, index) => (
        <div key={index}>{line && <Spans line={line} />}</div>
      ))}
    </div>
  );
  const { kind } = field;
  if (kind.type === "choice" || kind.type === "choices") {
    return (
      <fieldset aria-describedby={described}>
        <legend>
          <Spans line={field.label} />
          {field.required && <span class="muted"> (required)</span>}
        </legend>
        {help}
        {kind.choices.map((choice, index) => (
          <Option key={index} single={kind.type === "choice"} name={id} index={index} value={value}>
            <Spans line={choice.label} />
          </Option>
        ))}
      </fieldset>
    );
  }
  if (kind.type === "boolean") {
    const checked = value.value.type === "boolean" && value.value.value;
    const change = (event: TargetedEvent<HTMLInputElement>): void => {
      value.value = { type: "boolean", value: event.currentTarget.checked };
    };
    return (
      <div>
        <label class="option">
          <input type="checkbox" checked={checked} onChange={change} aria-describedby={described} />
          <Spans line={field.label} />
        </label>
        {help}
      </div>
    );
  }
  const isNumber = kind.type === "number" || kind.type === "integer";
  const isUnknown = kind.type === "unknown";
  return (
    <div class="field">
      <label for={id}>
        <Spans line={field.label} />
        {field.required && <span class="muted"> (required)</span>}
      </label>
      {help}
      {isUnknown && <div class="muted">This version does not know the type of this field.</div>}
      <input
        id={id}
        disabled={isUnknown}
        inputMode={isNumber ? "decimal" : "text"}
        aria-describedby={described}
        required={field.required}
        value={value.value.type === "text" ? value.value.value : ""}
        onInput={(event) => (value.value = { type: "text", value: event.currentTarget.value })}
      />
    </div>
  );
}

function Option(props: {
  single: boolean;
  name: string;
  index: number;
  value: Signal<FieldValue>;
  children: JSX.Element;
}): JSX.Element {
  const { single, index, value } = props;
  const chosen = value.value.type === "choices" ? value.value.value : [];
  const change = (event: TargetedEvent<HTMLInputElement>): void => {
    const others = single ? [] : chosen.filter((each) => each !== index);
    const next = event.currentTarget.checked ? [...others, index].sort((a, b) => a - b) : others;
    value.value = { type: "choices", value: next };
  };
  return (
    <label class="option">
      <input
        type={single ? "radio" : "checkbox"}
        name={props.name}
        checked={chosen.includes(index)}
        onChange={change}
      />
      {props.children}
    </label>
  );
}

/** A form to fill in. `send` gets the values by name. */
export function FormQuestion(props: {
  form: FormView;
  id: number;
  problem: Signal<string | null>;
  collect: { current: (() => Record<string, unknown> | null) | null };
}): JSX.Element {
  const { form } = props;
  const values: Values = useMemo(
    () => new Map(form.fields.map((field) => [field.name, signal(empty(field))])),
    [props.id],
  );
  props.collect.current = () => {
    const filled: Record<string, unknown> = {};
    try {
      for (const field of form.fields) {
        const value = values.get(field.name);
        const sent = value === undefined ? undefined : valueOf(field, value.value);
        if (sent !== undefined) filled[field.name] = sent;
      }
    } catch (error) {
      props.problem.value = error instanceof Error ? error.message : String(error);
      return null;
    }
    return filled;
  };
  return (
    <div class="form">
      <Blocks blocks={form.message} />
      {form.title && (
        <h3>
          <Spans line={form.title} />
        </h3>
      )}
      {form.description && (
        <p>
          <Spans line={form.description} />
        </p>
      )}
      {form.fields.map((field, index) => {
        const value = values.get(field.name);
        return value && <Field key={field.name} at={index} field={field} value={value} />;
      })}
      {form.problem && (
        <p class="r-warning">
          <Spans line={form.problem} />
        </p>
      )}
    </div>
  );
}
