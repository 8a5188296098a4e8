/**
 * Says why a hub of this version does not fit the extension; `null` if it fits. Before 1.0, the
 * minor version counts like a major one.
 */
export function mismatch(own: string, hub: string): string | null {
  if (release(own) === release(hub)) return null;
  const cause =
    isOlder(hub, own)
      ? "Update the program attache; then run `attache serve restart`."
      : "Update the extension. After an update of the program, run `attache serve restart`.";
  return `The hub has version ${hub}, and this extension is made for ${own}. ${cause}`;
}

function release(version: string): string {
  const [major = "", minor = ""] = version.split(".");
  return major === "0" ? `0.${minor}` : major;
}

function isOlder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => version.split(".").map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
