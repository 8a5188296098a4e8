// Diffs of version 2: the changed paths and a patch in Git's format.

/** Returns a diff that replaces all lines of a file. */
export function diff(file, before, now) {
  const lines = (content) => (content ? content.replace(/\n$/, "").split("\n") : []);
  const [old, fresh] = [lines(before), lines(now)];
  const range = ({ length }) => (length ? `1,${length}` : "0,0");
  const isNew = before === undefined;
  const head = isNew ? ["new file mode 100644", "--- /dev/null"] : [`--- ${file}`];
  const marked = (prefix, all, whole) =>
    all.map((line) => prefix + line).concat(whole && !whole.endsWith("\n") ? ["\\ No newline at end of file"] : []);
  const body = [`@@ -${range(old)} +${range(fresh)} @@`, ...marked("-", old, before), ...marked("+", fresh, now)];
  const patch = [`diff --git ${file} ${file}`, ...head, `+++ ${file}`, ...body, ""].join("\n");
  return { type: "diff", changes: [{ operation: isNew ? "add" : "modify", path: file }], patch: { format: "git_patch", text: patch } };
}
