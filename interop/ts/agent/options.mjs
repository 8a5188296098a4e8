// Modes and config options, which share one state and stay consistent (MODE-05).
import * as acp from "@agentclientprotocol/sdk/unstable";

export const modes = ["ask", "code"];
const models = { Small: ["m1"], Large: ["m2"] };
/** The available efforts depend on the model. */
const efforts = { m1: ["low", "high"], m2: ["low", "high", "max"] };

const named = (values) => values.map((value) => ({ value, name: value }));

export function modeState({ mode }) {
  return { currentModeId: mode, availableModes: modes.map((id) => ({ id, name: id })) };
}

/** Returns the complete list, without the boolean if the client does not support it (CONF-08). */
export function configOptions(values, takesBoolean) {
  const select = (id, name, category, options) => ({ id, name, category, type: "select", currentValue: values[id], options });
  const groups = Object.entries(models).map(([name, ids]) => ({ group: name.toLowerCase(), name, options: named(ids) }));
  const options = [
    select("model", "Model", "model", groups),
    select("mode", "Mode", "mode", named(modes)),
    select("effort", "Effort", "thought_level", named(efforts[values.model])),
  ];
  if (takesBoolean) {
    options.push({ id: "fast", name: "Fast", category: "model_config", type: "boolean", currentValue: values.fast });
  }
  return options;
}

/**
 * Sets one value and its dependents; returns true if the mode changed. Throws -32602 for an
 * invalid value, which changes nothing.
 */
export function setOption(values, id, value, takesBoolean) {
  const allowed = {
    mode: () => modes.includes(value),
    model: () => Object.values(models).flat().includes(value),
    effort: () => efforts[values.model].includes(value),
    fast: () => takesBoolean && typeof value === "boolean",
  };
  if (!Object.hasOwn(allowed, id)) throw acp.RequestError.invalidParams(undefined, `option ${id} does not exist`);
  if (!allowed[id]()) throw acp.RequestError.invalidParams(undefined, `option ${id} has no such value`);
  const changesMode = id === "mode" && values.mode !== value;
  values[id] = value;
  if (!efforts[values.model].includes(values.effort)) values.effort = "high";
  return changesMode;
}
