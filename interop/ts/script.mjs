// The language of scripts that client.mjs follows; the same as official/src/script.rs.

const word = (rest) => [rest];
const pair = (rest) => {
  const [first, ...words] = rest.split(" ");
  return [first, words.join(" ")];
};

const argumentsOf = {
  prompt: word,
  "prompt-cancel": (rest) => {
    const [when, text] = pair(rest);
    return /^(\d+|update|permission)$/.test(when) ? [when, text] : undefined;
  },
  mode: word,
  config: pair,
  bool: (rest) => {
    const [id, value] = pair(rest);
    return /^(true|false)$/.test(value) ? [id, value === "true"] : undefined;
  },
  permission: word,
};

/** All steps of a script as `[name, ...arguments]`; throws a sentence naming the first line that is none. */
export function parseSteps(script) {
  const lines = script.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => {
      const [name, rest] = pair(line);
      const parsed = Object.hasOwn(argumentsOf, name) ? argumentsOf[name](rest) : undefined;
      if (!parsed) throw new Error(`\`${line}\` is no step of a script`);
      return [name, ...parsed];
    });
}
