// The language of scripts for client.mjs, as in official/src/script.rs.

const word = (rest) => [rest];
const nothing = () => [];
const pair = (rest) => {
  const space = rest.indexOf(" ");
  return space < 0 ? [rest, ""] : [rest.slice(0, space), rest.slice(space + 1)];
};

const argumentsOf = {
  prompt: word,
  "prompt-cancel": (rest) => {
    const [when, text] = pair(rest);
    return /^(\d+|update|permission|interrupt)$/.test(when) ? [when, text] : undefined;
  },
  "prompt-cancel-call": word,
  "prompt-image": pair,
  mode: word,
  config: pair,
  bool: (rest) => {
    const [id, value] = pair(rest);
    return /^(true|false)$/.test(value) ? [id, value === "true"] : undefined;
  },
  permission: word,
  form: (rest) => (/^(accept|decline|cancel|wait)$/.test(rest) ? [rest] : undefined),
  list: nothing,
  delete: word,
  close: nothing,
  archive: word,
  unarchive: word,
  status: word,
  title: pair,
  login: word,
  logout: nothing,
  account: nothing,
  providers: nothing,
};

/** Parses one step as `[name, ...arguments]`; throws an error if it is invalid. */
export function parseStep(step) {
  const [name, rest] = pair(step);
  const parsed = Object.hasOwn(argumentsOf, name) ? argumentsOf[name](rest) : undefined;
  if (!parsed) throw new Error(`\`${step}\` is not a step of a script`);
  return [name, ...parsed];
}

/** Parses all steps of a script, one per line. */
export function parseSteps(script) {
  const lines = script.split("\n").map((line) => line.trim());
  return lines.filter((line) => line && !line.startsWith("#")).map(parseStep);
}
