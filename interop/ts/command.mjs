// The language of prompts for agent.mjs, as in official/src/command.rs.

const text = (rest) => [rest];
const nothing = () => [];
const number = (word) => (/^\d+$/.test(word) ? Number(word) : undefined);
const numbers = (count) => (rest) => {
  const values = rest.split(" ").map(number);
  return values.length === count && !values.includes(undefined) ? values : undefined;
};

/** Parses the text after each command into a list of arguments; `undefined` if it is invalid. */
const argumentsOf = {
  say: text,
  think: text,
  tool: text,
  cancellable: text,
  ask: nothing,
  question: text,
  read: (rest) => (rest ? [rest] : undefined),
  write: (rest) => {
    const [path, ...words] = rest.split(" ");
    return path ? [path, words.join(" ")] : undefined;
  },
  plan: nothing,
  plans: nothing,
  subagent: text,
  notice: (rest) => {
    const [severity, ...words] = rest.split(" ");
    return severity && words.length ? [severity, words.join(" ")] : undefined;
  },
  compact: nothing,
  usage: numbers(2),
  title: text,
  flood: numbers(2),
  sleep: numbers(1),
  wait: nothing,
  error: nothing,
  exit: numbers(1),
  stderr: text,
};

/**
 * Parses all commands of a prompt as `[name, ...arguments]`; throws an error that names the first
 * invalid one.
 */
export function parseCommands(prompt) {
  const lines = prompt.split(/[\n;]/).map((line) => line.trim());
  return lines.filter(Boolean).map((line) => {
    const [name, ...words] = line.split(" ");
    const parsed = Object.hasOwn(argumentsOf, name) ? argumentsOf[name](words.join(" ")) : undefined;
    if (!parsed) throw new Error(`\`${line}\` is not a command`);
    return [name, ...parsed];
  });
}
