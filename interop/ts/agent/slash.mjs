// Slash commands at the start of prompts.

export const slashCommands = [
  { name: "help", description: "Lists the commands of this agent." },
  { name: "echo", description: "Repeats the words.", input: { hint: "words" } },
  { name: "compact", description: "Shortens the conversation." },
];

const perform = {
  help: (turn) => turn.say(slashCommands.map(({ name, description }) => `/${name}: ${description}`).join("\n")),
  echo: (turn, words) => turn.say(words),
  compact: (turn) => turn.compact(),
};

/** Returns the action for a text that begins with a command, otherwise `undefined`. */
export function slashCommand(text) {
  const [, name, words] = /^\/(\w+)\s*([^]*)$/.exec(text) ?? [];
  return Object.hasOwn(perform, name ?? "") ? (turn) => perform[name](turn, words) : undefined;
}
