import type { Line, PermissionView, QuestionView } from "../../../../crates/serve/types.ts";

export const line = (text: string): Line => [{ text, role: "text" }];

/** A question whether a command may run. */
export function permission(more: Partial<PermissionView>): QuestionView {
  const about: PermissionView = {
    title: line("Run"),
    kind: "execute",
    stated: [],
    effect: [line("touch a")],
    outputs: [],
    protected: null,
    covered: false,
    choices: [
      { key: "y", label: line("yes"), action: { type: "allow" } },
      { key: "a", label: line("always"), action: { type: "allow_always", rules: [] } },
      { key: "n", label: line("no"), action: { type: "reject" } },
    ],
    ...more,
  };
  const headline = line("a asks for permission");
  return { id: 1, asked_at: 0, headline, about: { type: "permission", ...about } };
}
