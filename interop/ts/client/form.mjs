// Fills in a form: with its defaults, otherwise with the simplest valid value (ELIC-14, ELIC-15).

const samples = { email: "person@example.org", uri: "https://example.org/", date: "2026-01-01", "date-time": "2026-01-01T00:00:00Z" };
const within = (number, low, high) => number >= (low ?? -Infinity) && number <= (high ?? Infinity);

/** Returns a value for a property, or `undefined` if no valid value is known. */
const values = {
  string({ enum: names, oneOf, format, pattern, minLength = 0, maxLength = Infinity, default: given }) {
    const choices = names ?? oneOf?.map((choice) => choice.const);
    if (choices) return choices.includes(given) ? given : choices[0];
    // A pattern can take forever to match, so a field that has one gets only values that the form
    // itself contains (ELIC-24).
    if (pattern) return given;
    const value = given ?? samples[format] ?? "x".repeat(Math.max(1, minLength));
    return within([...value].length, minLength, maxLength) ? value : undefined;
  },
  integer({ minimum, maximum, default: given }) {
    const value = given ?? minimum ?? Math.min(0, maximum ?? 0);
    return Number.isInteger(value) && within(value, minimum, maximum) ? value : undefined;
  },
  number({ minimum, maximum, default: given }) {
    const value = given ?? minimum ?? Math.min(0, maximum ?? 0);
    return within(value, minimum, maximum) ? value : undefined;
  },
  boolean: ({ default: given }) => given ?? false,
  array({ items, minItems = 0, maxItems = Infinity, default: given }) {
    const choices = items?.enum ?? items?.anyOf?.map((choice) => choice.const);
    if (!choices) return undefined;
    const value = given ?? choices.slice(0, minItems);
    return within(value.length, minItems, maxItems) && value.every((one) => choices.includes(one)) ? value : undefined;
  },
};

/** Returns the content of the form; `undefined` if a required field has no value. */
export function fill({ properties = {}, required = [] }) {
  const content = {};
  for (const [name, property] of Object.entries(properties)) {
    const value = Object.hasOwn(values, property.type) ? values[property.type](property) : undefined;
    if (value !== undefined) content[name] = value;
    else if (required.includes(name)) return undefined;
  }
  return content;
}
