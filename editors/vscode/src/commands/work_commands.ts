import * as vscode from "vscode";
import type { CheckpointItem, OfSession, RestoreGoal } from "../../../../crates/serve/types.ts";
import type { OptionItem } from "../../../../crates/serve/types.ts";
import type { Hub } from "../hub/hub.ts";
import { answer, sayAnswered } from "../questions/answering.ts";
import type { Asked } from "../questions/open_questions.ts";
import { named } from "../questions/question_text.ts";
import { openHunks, type ChangeNode } from "../review/changes_tree.ts";
import { label, plain } from "../text.ts";
import { pickOne } from "./pick_one.ts";
import { isNode, targetOf, titleOf } from "./pick_session.ts";
import type { Commands, Parts } from "./parts.ts";

/** The commands about the work in a session: questions, reviews, options, rewind. */
export function workCommands(parts: Parts): Commands {
  const { hub, current, reviews, documents } = parts;
  const target = (node: unknown): Promise<OfSession | null> => targetOf(node, hub, current);
  const hunks = (node: unknown): string[] => openHunks(node as ChangeNode);
  return {
    answer: async (node) => {
      const asked = await pickQuestion(parts.questions.all(), node);
      if (asked !== null) await answer(parts, asked, () => void showQuestion(parts, asked));
    },
    review: async (node) => {
      const of = await target(node);
      if (of === null) return;
      current.set(of);
      await reviews.refresh();
      if ((reviews.value?.items.files.length ?? 0) > 0) await documents.openAll();
      await vscode.commands.executeCommand("attache.changes.focus");
    },
    refreshReview: () => reviews.refresh(),
    openDiff: (node) => documents.open(node as ChangeNode),
    accept: (node) => reviews.decide(hunks(node), { type: "accept" }),
    reject: (node) => reviews.reject(hunks(node)),
    reopen: (node) => {
      const given = node as ChangeNode;
      if (given.kind === "hunk") return reviews.decide([given.hunk.id], { type: "reopen" });
    },
    comment: async (node) => {
      const given = node as ChangeNode;
      if (given.kind !== "hunk") return;
      const { id, comment } = given.hunk;
      const title = "Comment for the Agent";
      const text = await vscode.window.showInputBox({ title, value: comment });
      if (text !== undefined) await reviews.decide([id], { type: "comment", text });
    },
    tell: async () => {
      const all = reviews.value?.items.files.flatMap((file) => file.hunks) ?? [];
      const told = all.filter((hunk) => hunk.state === "rejected" || hunk.comment !== "");
      await reviews.decide(told.map((hunk) => hunk.id), { type: "tell" });
      void vscode.window.showInformationMessage("The agent learns of this with the next prompt.");
    },
    options: async (node) => {
      const of = await target(node);
      if (of !== null) await setOption(hub, of);
    },
    rewind: async (node) => {
      const of = await target(node);
      if (of !== null) await rewind(parts, of);
    },
    undoRewind: async (node) => {
      const of = await target(node);
      if (of !== null) await restore(parts, of, { type: "last_restore" }, "files");
    },
  };
}

/** Shows where a question can be read as a whole. */
export async function showQuestion({ pages }: Parts, asked: Asked): Promise<void> {
  const { agent, sessionId, question } = asked;
  if (sessionId !== null) await pages.showInSideBar({ agent, sessionId });
  else await pages.showInSideBar(null, `question ${agent} ${question.id}`);
}

async function pickQuestion(open: Asked[], node: unknown): Promise<Asked | null> {
  if (isNode(node) && node.kind === "attention") {
    // The tree may be older than the questions: it never leads to another one.
    const asked = named(open, node.item) ?? null;
    if (asked === null) sayAnswered();
    return asked;
  }
  if (open.length === 0) void vscode.window.showInformationMessage("No question is open.");
  if (open.length < 2) return open[0] ?? null;
  const items = open.map((asked) => ({
    label: label(asked.question.headline),
    detail: label(detail(asked)),
    asked,
  }));
  const options = { title: "Answer a Question", placeHolder: "Choose a question" };
  return (await pickOne(items, options))?.asked ?? null;
}

function detail({ question: { about } }: Asked): string {
  return about.type === "permission" ? plain(about.title) : "";
}

/** Reads the options of a session, which come with its first notification. */
function optionsOf(hub: Hub, of: OfSession): Promise<OptionItem[]> {
  return new Promise((resolve) => {
    const watch = hub.follow(of, ({ options }) => {
      if (!options) return;
      resolve(options);
      setImmediate(() => watch.dispose());
    });
  });
}

async function setOption(hub: Hub, of: OfSession): Promise<void> {
  const options = await optionsOf(hub, of);
  const items = options.map((option) => ({
    label: label(option.name),
    description: label(option.value),
    detail: label(option.description),
    option,
  }));
  const asked = { title: "Options of the Session", placeHolder: "Choose an option" };
  const option = (await pickOne(items, asked))?.option;
  if (option === undefined) return;
  const values = option.choices.map(({ id, name, description, current, group }) => ({
    label: `${current ? "$(check) " : ""}${label(name)}`,
    description: label(group),
    detail: label(description),
    id,
  }));
  const value = await pickOne(values, { title: label(option.name) });
  if (value === undefined) return;
  await hub.call("_attache/option", { ...of, option: option.id, value: value.id });
}

const WHAT = [
  { label: "Files", what: "files" as const },
  { label: "Conversation", what: "conversation" as const },
  { label: "Files and conversation", what: "both" as const },
];

async function rewind(parts: Parts, of: OfSession): Promise<void> {
  const { points, forks } = await parts.hub.call("_attache/checkpoints", of);
  if (points.length === 0) {
    void vscode.window.showInformationMessage("This session has no point to go back to.");
    return;
  }
  const items = points.map((point) => ({
    label: label(point.prompt) || "(no prompt)",
    description: describe(point),
    point,
  }));
  const asked = { title: "Rewind", placeHolder: "Go back to before a prompt" };
  const point = (await pickOne(items, asked))?.point;
  if (point === undefined) return;
  const title = "What Goes Back";
  const placeHolder = forks ? "" : "The conversation goes on in a new session.";
  const what = (await pickOne(WHAT, { title, placeHolder }))?.what;
  if (what !== undefined) await restore(parts, of, { type: "point", id: point.id }, what);
}

function describe({ at, files, complete }: CheckpointItem): string {
  const facts = [
    new Date(at).toLocaleString(),
    files === null ? "" : `${files} ${files === 1 ? "file" : "files"} changed`,
    complete ? "" : "not everything was kept",
  ];
  return facts.filter((fact) => fact !== "").join(" · ");
}

/** Shows what would go back, and does it if the person confirms. */
async function restore(
  { hub, pages, reviews }: Parts,
  of: OfSession,
  goal: RestoreGoal,
  what: "files" | "conversation" | "both",
): Promise<void> {
  const preview = await hub.call("_attache/restore_preview", { ...of, goal, force: false });
  const lines = preview.lines.map((line) => plain(line));
  const files = preview.isEmpty ? ["No file would change.", ...lines] : lines;
  const stays = preview.needsForce ? ["", "The page can also restore files that stay here."] : [];
  const detail = [...(what === "conversation" ? [] : files), ...stays].join("\n");
  const options = { modal: true, detail };
  const question = `Go back in ${titleOf(hub, of)}?`;
  const sure = await vscode.window.showWarningMessage(question, options, "Go Back");
  if (sure !== "Go Back") return;
  const restored = await hub.call("_attache/restore", { preview: preview.preview, what });
  const said = restored.lines.map((line) => label(line)).join(" ");
  if (said !== "") void vscode.window.showInformationMessage(said);
  await pages.showInSideBar(restored.session);
  await reviews.refresh();
}
