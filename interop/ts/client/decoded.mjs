// Lenient decoding of the agent's responses: the SDK decodes notifications, but returns responses
// unchanged.

const isText = (value) => typeof value === "string";
const isValue = (value) => isText(value?.value) && isText(value.name);

/**
 * Returns the values of a select: flat or grouped, never both. In a group a bad value is skipped;
 * in a flat list it invalidates the option (CONF-20).
 */
function values(options) {
  if (!Array.isArray(options)) return undefined;
  if (options.every(isValue)) return options;
  const isGroup = (group) => isText(group?.group) && isText(group.name) && Array.isArray(group.options);
  if (!options.every(isGroup)) return undefined;
  return options.map((group) => ({ ...group, options: group.options.filter(isValue) }));
}

/** Returns an option, or `undefined` if it is invalid. */
function option(given) {
  if (!isText(given?.id) || !isText(given.name)) return undefined;
  if (given.type === "boolean") return typeof given.currentValue === "boolean" ? given : undefined;
  const options = given.type === "select" && isText(given.currentValue) ? values(given.options) : undefined;
  return options && { ...given, options };
}

/** Returns the valid options; `undefined` if there is no list of them (DEC-02, DEC-04). */
export function configOptions(given) {
  return Array.isArray(given) ? given.map(option).filter(Boolean) : undefined;
}

export function modes(given) {
  if (!isText(given?.currentModeId) || !Array.isArray(given.availableModes)) return undefined;
  return { ...given, availableModes: given.availableModes.filter(({ id, name } = {}) => isText(id) && isText(name)) };
}

/** A cursor that is not a text ends the list (LIST-13). */
export function cursor(given) {
  return isText(given) ? given : undefined;
}

const stopReasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"];

/** An unknown stop reason ends the turn too, but its meaning is unknown (PROMPT-16). */
export function isStopReason(given) {
  return stopReasons.includes(given);
}
