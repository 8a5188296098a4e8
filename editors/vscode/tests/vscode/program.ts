/** Two places far from each other, so that a change of both has two hunks. */
export function program(name: string, later = name): string {
  const between = Array.from({ length: 20 }, (_, at) => `\tstep(${at});\n`).join("");
  return `fn main() {\n\tlet ${name} = 1;\n${between}\tshow(${later});\n}\n`;
}
