// What an answer of the agent says, read with leniency: the SDK decodes what comes unasked, but hands out answers as they came.

const isText = (value) => typeof value === "string";
const isValue = (value) => isText(value?.value) && isText(value.name);

/** The values of a select: flat or grouped, never both. In a group a bad value is left out, in a flat list it spoils the option (CONF-20). */
function values(options) {
  if (!Array.isArray(options)) return undefined;
  if (options.every(isValue)) return options;
  const isGroup = (group) => isText(group?.group) && isText(group.name) && Array.isArray(group.options);
  if (!options.every(isGroup)) return undefined;
  return options.map((group) => ({ ...group, options: group.options.filter(isValue) }));
}

/** An option, or `undefined` when it cannot be read. */
function option(given) {
  if (!isText(given?.id) || !isText(given.name)) return undefined;
  if (given.type === "boolean") return typeof given.currentValue === "boolean" ? given : undefined;
  const options = given.type === "select" && isText(given.currentValue) ? values(given.options) : undefined;
  return options && { ...given, options };
}

/** The options that can be read; `undefined` when there is no list of them (DEC-02, DEC-04). */
export function configOptions(given) {
  return Array.isArray(given) ? given.map(option).filter(Boolean) : undefined;
}

export function modes(given) {
  if (!isText(given?.currentModeId) || !Array.isArray(given.availableModes)) return undefined;
  return { ...given, availableModes: given.availableModes.filter(({ id, name } = {}) => isText(id) && isText(name)) };
}

/** Anything else than a text is the end of a list (LIST-13). */
export function cursor(given) {
  return isText(given) ? given : undefined;
}

const stopReasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"];

/** Any other is the end of the turn too, but nobody knows what it means (PROMPT-16). */
export function isStopReason(given) {
  return stopReasons.includes(given);
}
