// The values that a front end shows, as JSON. The test `types` of attache-serve writes
// this file with UPDATE_DOCS=1.

/**
 * What happens in a session now.
 */
export type Activity = {
/**
 * The kind, by which a front end chooses a symbol.
 */
kind: ActivityKind,
/**
 * The activity in words, such as `running cargo test`. Empty if nothing happens.
 */
line: Line,
/**
 * When it began, in milliseconds since 1970; `None` if that does not matter.
 */
since: number | null, };

/**
 * The kind of an activity.
 */
export type ActivityKind = "idle" | "starting" | "waiting" | "thinking" | "writing" | "tool" | "asking" | "cancelling" | "background" | "problem" | "closed";

/**
 * An agent to choose.
 */
export type AgentItem = {
/**
 * The name in the hub.
 */
name: string,
/**
 * The name for people; may be empty.
 */
title: string,
/**
 * Whether it can be started.
 */
installed: boolean,
/**
 * The account or key that it needs; may be empty.
 */
needs: string, };

/**
 * A question of an agent that belongs to no session.
 */
export type AgentQuestion = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The question.
 */
question: QuestionView, };

/**
 * The alignment of a column.
 */
export type Alignment = "left" | "center" | "right";

/**
 * Answers a question.
 */
export type AnswerQuestion = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The session; `null` if the question belongs to none.
 */
sessionId: string | null,
/**
 * The id of the question.
 */
question: number,
/**
 * The answer.
 */
answer: QuestionAnswer, };

/**
 * Asks for a larger scope. A person at this machine decides.
 */
export type AskScope = {
/**
 * The scope.
 */
scope: Scope, };

/**
 * Something that needs the person.
 */
export type AttentionItem = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session; `None` if a question of the agent belongs to no session, such as one
 * during a login.
 */
session: string | null,
/**
 * The title of the session; empty if it has none.
 */
title: Line,
/**
 * The id of the question, if there is one.
 */
question: number | null,
/**
 * Why the person is needed.
 */
reason: AttentionReason,
/**
 * The reason in words, such as `asks to run cargo test`.
 */
line: Line,
/**
 * Since when, in milliseconds since 1970; `None` if unknown.
 */
since: number | null, };

/**
 * Why the person is needed, the most urgent first.
 */
export type AttentionReason = "question" | "problem" | "held" | "unread";

/**
 * A part of a text, such as a paragraph. A block that is complete never changes again, so a front
 * end may remember what it drew for it (see [`Arc::as_ptr`]).
 */
export type Block = { "type": "paragraph",
/**
 * The lines.
 */
lines: Array<Line>, } | { "type": "heading",
/**
 * The level, from 1 to 6.
 */
level: number,
/**
 * The text.
 */
line: Line, } | { "type": "item" } & Item | { "type": "code" } & CodeBlock | { "type": "table" } & Table | { "type": "quote",
/**
 * The parts of the quote.
 */
blocks: Array<Block>, } | { "type": "rule" } | { "type": "attachment",
/**
 * The description, such as `image/png, 12 kB`.
 */
line: Line, };

/**
 * A rule of the protocol that a message breaks.
 */
export type BrokenRule = {
/**
 * The id of the rule, such as `RPC-03`.
 */
rule: string,
/**
 * How binding it is, such as `must`.
 */
strength: string,
/**
 * The side at fault: `client` or `agent`.
 */
by: string,
/**
 * What was seen, sanitized.
 */
seen: string,
/**
 * The rule in words.
 */
text: string, };

/**
 * The status of a tool call.
 */
export type CallStatus = "pending" | "asking" | "running" | "paused" | "completed" | "failed" | "cancelled";

/**
 * Changes a device.
 */
export type ChangeDevice = {
/**
 * Its id.
 */
id: string,
/**
 * What changes. Everything else stays as it is.
 */
change: DeviceChange, };

/**
 * Changes the prompts that wait.
 */
export type ChangeQueue = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * The change.
 */
change: QueueChange, };

/**
 * Changes a session in the list.
 */
export type ChangeSession = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * The change.
 */
change: ListChange, };

/**
 * A point to which a session can go back.
 */
export type CheckpointItem = {
/**
 * The id.
 */
id: string,
/**
 * When it was taken, in milliseconds since 1970.
 */
at: number,
/**
 * The turn before which it was taken; `null` if it is unknown.
 */
turn: number | null,
/**
 * The prompt of that turn, in one line.
 */
prompt: Line,
/**
 * The number of files that the turn changed; `null` while it runs.
 */
files: number | null,
/**
 * Whether everything was kept.
 */
complete: boolean, };

/**
 * The points to which a session can go back.
 */
export type Checkpoints = {
/**
 * The points, the latest first.
 */
points: Array<CheckpointItem>,
/**
 * Whether the agent can take the conversation back; otherwise a new session is begun.
 */
forks: boolean, };

/**
 * An answer to choose.
 */
export type Choice = {
/**
 * The key that chooses it.
 */
key: string,
/**
 * The answer in words.
 */
label: Line,
/**
 * What the answer does.
 */
action: ChoiceAction, };

/**
 * What an answer does.
 */
export type ChoiceAction = { "type": "allow" } | { "type": "allow_always",
/**
 * The rules to choose from.
 */
rules: Array<RuleChoice>, } | { "type": "reject" } | { "type": "reject_always",
/**
 * The rules to choose from.
 */
rules: Array<RuleChoice>, } | { "type": "reject_and_say" } | { "type": "option",
/**
 * The index of the option in [`attache_client::PermissionRequest::options`].
 */
index: number, } | { "type": "accept" } | { "type": "decline" } | { "type": "cancel" };

/**
 * An attached client.
 */
export type ClientItem = {
/**
 * The number of the connection.
 */
id: number,
/**
 * What it calls itself, sanitized.
 */
name: Line,
/**
 * What it may do.
 */
scope: Scope,
/**
 * Whether it is the client that gets this.
 */
own: boolean, };

/**
 * Code, or a part of very long code.
 */
export type CodeBlock = {
/**
 * The language, as the text names it; empty if it names none.
 */
language: string,
/**
 * The lines. A front end does not wrap them if it can scroll sideways.
 */
lines: Array<Line>,
/**
 * Whether the code continues the block before it: long code is divided, so that its first
 * lines are complete while later ones still come.
 */
continued: boolean, };

/**
 * A colour of a terminal.
 */
export type Color = { "indexed": number } | { "rgb": [number, number, number] };

/**
 * The colours and attributes that a command gave a piece of its output.
 */
export type Colors = {
/**
 * The colour of the text.
 */
foreground?: Color,
/**
 * The colour behind the text.
 */
background?: Color, };

/**
 * A command of the agent, which a prompt begins with, such as `/compact`.
 */
export type CommandItem = {
/**
 * The name without the slash.
 */
name: string,
/**
 * What the command does.
 */
description: Line,
/**
 * What can follow the name; `None` if nothing can.
 */
hint: Line | null, };

/**
 * A compaction: the agent replaced older messages by a summary.
 */
export type CompactionRow = {
/**
 * The status in a few words, such as `compacting the conversation`.
 */
line: Line,
/**
 * The summary; empty until the agent sends it.
 */
summary: Array<Block>, };

/**
 * Confirms a preview.
 */
export type ConfirmRestore = {
/**
 * Its number.
 */
preview: number,
/**
 * What goes back.
 */
what: RestoreWhat, };

/**
 * How full the context is, in levels.
 */
export type ContextLevel = "normal" | "elevated" | "high" | "critical";

/**
 * How full the context is.
 */
export type ContextUse = {
/**
 * The tokens in the context.
 */
used: number,
/**
 * The size of the context in tokens; `None` if it is unknown.
 */
size: number | null,
/**
 * The fill in percent, at most 100; `None` if the size is unknown.
 */
percent: number | null,
/**
 * The level.
 */
level: ContextLevel, };

/**
 * Decides about hunks. A rejection changes files: preview it with `_attache/restore_preview`.
 */
export type DecideHunks = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * The ids of the hunks.
 */
hunks: Array<string>,
/**
 * The decision.
 */
decision: HunkDecision, };

/**
 * What came of a decision.
 */
export type Decided = {
/**
 * The review after it.
 */
review: ReviewItems,
/**
 * Whether the agent is told anything new with the next prompt; only for `tell`.
 */
told: boolean, };

/**
 * A change of a device.
 */
export type DeviceChange = { "type": "scope",
/**
 * The scope.
 */
scope: Scope, } | { "type": "protected_files",
/**
 * Whether it may.
 */
allowed: boolean, } | { "type": "revoke" };

/**
 * A device.
 */
export type DeviceItem = {
/**
 * Its id.
 */
id: string,
/**
 * Its name, sanitized.
 */
name: Line,
/**
 * What it may do.
 */
scope: Scope,
/**
 * Whether it may also allow access to protected files, once at a time.
 */
protectedFiles: boolean,
/**
 * When it was added, in milliseconds since 1970.
 */
addedAt: number,
/**
 * When it was last used, in milliseconds since 1970.
 */
usedAt: number, };

/**
 * The devices that may use the hub.
 */
export type Devices = {
/**
 * The devices.
 */
devices: Array<DeviceItem>, };

/**
 * Changes of files.
 */
export type DiffRow = {
/**
 * The files, in the agent's order.
 */
files: Array<FileDiff>, };

/**
 * A text that is not sent yet.
 */
export type Draft = {
/**
 * The text.
 */
text: string,
/**
 * The connection that wrote it last; 0 if it was stored.
 */
by: number, };

/**
 * A choice of a field.
 */
export type FieldChoice = {
/**
 * The value that is sent. From outside: not to be shown.
 */
value: string,
/**
 * The choice in words.
 */
label: Line,
/**
 * The key that chooses it, if the form has only this field and few choices.
 */
key: string | null, };

/**
 * The type of a field's values.
 */
export type FieldKind = { "type": "text" } | { "type": "number" } | { "type": "integer" } | { "type": "boolean" } | { "type": "choice",
/**
 * The choices.
 */
choices: Array<FieldChoice>, } | { "type": "choices",
/**
 * The choices.
 */
choices: Array<FieldChoice>, } | { "type": "unknown" };

/**
 * The value of a field.
 */
export type FieldValue = { "type": "text", "value": string } | { "type": "boolean", "value": boolean } | { "type": "choices", "value": Array<number> };

/**
 * What happened to a file.
 */
export type FileChange = "created" | "changed" | "deleted" | "renamed" | "copied";

/**
 * The changes of one file.
 */
export type FileDiff = {
/**
 * The path, relative to the session's folder where possible.
 */
path: Line,
/**
 * The earlier path of a file that was renamed or copied.
 */
from: Line | null,
/**
 * What happened to the file.
 */
change: FileChange,
/**
 * The number of added lines.
 */
added: number,
/**
 * The number of removed lines.
 */
removed: number,
/**
 * The changed places.
 */
hunks: Array<Hunk>,
/**
 * Why `hunks` does not show the whole change, in a few words, such as `binary file`.
 */
note: Line | null, };

/**
 * Files, the best first.
 */
export type Files = {
/**
 * Paths below the session's folder.
 */
paths: Array<string>, };

/**
 * Finds files for a mention.
 */
export type FindFiles = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * The letters typed so far.
 */
letters: string, };

/**
 * A field of a form.
 */
export type FormField = {
/**
 * The name by which a value is sent. From outside: not to be shown.
 */
name: string,
/**
 * The title, or else the name.
 */
label: Line,
/**
 * What the field is for.
 */
description: Line | null,
/**
 * Whether the field must be filled in.
 */
required: boolean,
/**
 * The type of the values.
 */
kind: FieldKind,
/**
 * Which values are allowed, in words, such as `at least 3 characters`; empty if all are.
 */
allowed: Line,
/**
 * The value that the agent suggests.
 */
default: FieldValue | null, };

/**
 * A form to fill in. [`Form::read`] reads what the person types for a field, and [`Form::check`]
 * checks all values before they are sent.
 */
export type FormView = {
/**
 * The agent's message.
 */
message: Array<Block>,
/**
 * The title of the form.
 */
title: Line | null,
/**
 * The purpose of the form.
 */
description: Line | null,
/**
 * The fields, in the order of [`Form::schema`].
 */
fields: Array<FormField>,
/**
 * Why the form can only be declined, if a required field is of an unknown type.
 */
problem: Line | null,
/**
 * The answers.
 */
choices: Array<Choice>, };

/**
 * What was found.
 */
export type Found = {
/**
 * The places, the latest first; at most 200.
 */
places: Array<FoundPlace>, };

/**
 * A place of a text.
 */
export type FoundPlace = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The session.
 */
sessionId: string,
/**
 * The row, if the session is watched.
 */
row: number | null,
/**
 * The text around it.
 */
line: Line, };

/**
 * The state of the hub. Sent whole when something in it changed, at most a few times a second.
 */
export type HubChanged = {
/**
 * The number of the watch.
 */
watch: number,
/**
 * The agents to choose from.
 */
agents: Array<AgentItem>,
/**
 * The sessions and who waits.
 */
list: SessionListView,
/**
 * Whether sessions were left out because of the limit.
 */
hasMore: boolean,
/**
 * The open questions that belong to no session, such as those of a login.
 */
questions: Array<AgentQuestion>,
/**
 * What this client may do now.
 */
scope: Scope,
/**
 * The clients that are attached, this one too.
 */
clients: Array<ClientItem>,
/**
 * Devices that ask for a larger scope, if this client may grant it.
 */
scopeRequests: Array<ScopeRequest>, };

/**
 * A changed place of a file.
 */
export type Hunk = {
/**
 * The number of the first line before the change, from 1, or 0 without such a line.
 */
old_start: number,
/**
 * The number of the first line after the change, from 1, or 0 without such a line.
 */
new_start: number,
/**
 * The lines, with some unchanged lines around them.
 */
lines: Array<HunkLine>, };

/**
 * A decision about hunks.
 */
export type HunkDecision = { "type": "accept" } | { "type": "reopen" } | { "type": "comment",
/**
 * The note; empty removes it.
 */
text: string, } | { "type": "tell" };

/**
 * A line of a hunk.
 */
export type HunkLine = {
/**
 * Whether the line was added or removed.
 */
change: LineChange,
/**
 * The text, with the roles of its syntax; words that differ are `changed`.
 */
line: Line, };

/**
 * The decision about a hunk so far.
 */
export type HunkState = "open" | "accepted" | "rejected";

/**
 * One item of a list.
 */
export type Item = {
/**
 * How deeply the list is nested; 0 for a list that is not in another list. A quote inside of
 * an item begins at 0 again.
 */
depth: number,
/**
 * What precedes the item.
 */
marker: Marker,
/**
 * The parts of the item, without the items of nested lists, which are blocks of their own.
 */
blocks: Array<Block>, };

/**
 * A line of text. Contains no line feed; a front end wraps it.
 */
export type Line = Array<{
/**
 * The text. Sanitized.
 */
text: string,
/**
 * The meaning of the text.
 */
role: Role,
/**
 * Whether the text is strong (`**strong**`).
 */
strong?: boolean,
/**
 * Whether the text is emphasized (`*emphasis*`).
 */
emphasis?: boolean,
/**
 * Whether the text is struck out (`~~struck~~`).
 */
struck?: boolean,
/**
 * Whether the text is underlined, in the output of a command.
 */
underlined?: boolean,
/**
 * Whether these words differ, in a line of a diff.
 */
changed?: boolean,
/**
 * The address of a link. Its scheme is `http`, `https`, `mailto` or `file`.
 */
link?: string,
/**
 * The colours that a command gave its output.
 */
colors?: Colors, }>;

/**
 * Whether a line was added or removed.
 */
export type LineChange = "same" | "removed" | "added";

/**
 * A change of a session in the list.
 */
export type ListChange = { "type": "rename",
/**
 * The title.
 */
title: string, } | { "type": "archive",
/**
 * Whether it is archived.
 */
archived: boolean, } | { "type": "tags",
/**
 * The tags.
 */
tags: Array<string>, } | { "type": "close" } | { "type": "delete" };

/**
 * Lists the devices.
 */
export type ListDevices = Record<symbol, never>;

/**
 * Lists the agents whose messages can be watched.
 */
export type ListTraces = Record<symbol, never>;

/**
 * What precedes an item of a list.
 */
export type Marker = "bullet" | { "number": number } | { "task": boolean } | "continued";

/**
 * What was negotiated.
 */
export type Negotiated = {
/**
 * The version of the methods: 1.
 */
version: number,
/**
 * What the client may do.
 */
scope: Scope,
/**
 * The version of the program that serves the hub.
 */
hub: string,
/**
 * Whether the client is on the machine of the hub. Only such a client changes devices.
 */
local: boolean, };

/**
 * The level of a notice.
 */
export type NoticeLevel = "info" | "warning" | "error";

/**
 * A notice.
 */
export type NoticeRow = {
/**
 * The level.
 */
level: NoticeLevel,
/**
 * The text.
 */
blocks: Array<Block>, };

/**
 * Names an agent.
 */
export type OfAgent = {
/**
 * The name of the agent in the hub.
 */
agent: string, };

/**
 * Names a session.
 */
export type OfSession = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string, };

/**
 * Opens a new session, or a stored one.
 */
export type OpenSession = {
/**
 * The name of an agent to choose from.
 */
agent: string,
/**
 * The folder, absolute.
 */
cwd: string,
/**
 * The id of a stored session; a new one if absent.
 */
sessionId: string | null, };

/**
 * The session that was opened.
 */
export type Opened = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id.
 */
sessionId: string, };

/**
 * A config option that the person can set with [`attache_client::HubSession::set`].
 */
export type OptionItem = {
/**
 * The id.
 */
id: string,
/**
 * The name.
 */
name: Line,
/**
 * What the option does.
 */
description: Line | null,
/**
 * The category, such as `model`; empty if the agent does not say it.
 */
category: string,
/**
 * The current value, in words.
 */
value: Line,
/**
 * The values to choose from. A switch has the values `true` and `false`.
 */
choices: Array<OptionValue>, };

/**
 * A value of a config option.
 */
export type OptionValue = {
/**
 * The id of the value.
 */
id: string,
/**
 * The name.
 */
name: Line,
/**
 * What the value means.
 */
description: Line | null,
/**
 * The group of values that it belongs to; empty if there are no groups.
 */
group: string,
/**
 * Whether it is the current value.
 */
current: boolean, };

/**
 * A part of the output of a tool call.
 */
export type Output = { "type": "text",
/**
 * The text.
 */
blocks: Array<Block>, } | { "type": "diff" } & DiffRow | { "type": "terminal",
/**
 * The id of the terminal.
 */
id: string,
/**
 * The command line; empty if unknown.
 */
command: Line,
/**
 * The last lines, with the command's own colours.
 */
lines: Array<Line>,
/**
 * The number of lines before them that are not in `lines`.
 */
omitted: number,
/**
 * How the command ended, in a few words, such as `exit code 1`; empty while it runs.
 */
ended: Line, };

/**
 * A page to open. Show the whole address and all warnings.
 */
export type PageView = {
/**
 * The agent's message.
 */
message: Array<Block>,
/**
 * The whole address; its host is strong.
 */
address: Line,
/**
 * The host, to which the address leads.
 */
host: Line,
/**
 * Why the address is suspicious.
 */
warnings: Array<Line>,
/**
 * The answers.
 */
choices: Array<Choice>, };

/**
 * A permission request. Nothing is left out, because the person would approve it unseen.
 */
export type PermissionView = {
/**
 * The agent's question or title; empty if the client itself asks about a command, which
 * `effect` shows.
 */
title: Line,
/**
 * The kind of the call, such as `execute`.
 */
kind: string,
/**
 * What the agent says besides the title.
 */
stated: Array<Block>,
/**
 * What the call does according to its arguments, except for what the title and the outputs
 * show.
 */
effect: Array<Line>,
/**
 * The diffs and texts of the call.
 */
outputs: Array<Output>,
/**
 * Why only the person may allow the call, if no rule and no flag covers it.
 */
protected: Line | null,
/**
 * Whether an earlier answer covers the call.
 */
covered: boolean,
/**
 * The answers: yes, always, no, then the others. "Yes" and "always" are missing if the agent
 * offers no such answer.
 */
choices: Array<Choice>, };

/**
 * A plan.
 */
export type PlanRow = { "form": "steps",
/**
 * The steps, in order.
 */
steps: Array<PlanStep>, } | { "form": "text",
/**
 * The text.
 */
blocks: Array<Block>, } | { "form": "file",
/**
 * The address of the file.
 */
line: Line, } | { "form": "dropped" };

/**
 * A step of a plan.
 */
export type PlanStep = {
/**
 * The text.
 */
line: Line,
/**
 * The progress.
 */
state: StepState,
/**
 * Whether the agent calls the step important.
 */
important: boolean, };

/**
 * Asks what going back would do.
 */
export type PreviewRestore = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * What to undo.
 */
goal: RestoreGoal,
/**
 * Whether files that others changed too and protected files are restored as well. Devices
 * cannot restore protected files.
 */
force: boolean, };

/**
 * An answer to a question.
 */
export type QuestionAnswer = { "type": "choose",
/**
 * The index in the choices of the question as they were sent.
 */
choice: number,
/**
 * The index of the rule, for an answer with rules.
 */
rule: number | null,
/**
 * Why, for an answer that says so. It becomes the next prompt, so it needs the scope
 * `control`.
 */
why: string | null, } | { "type": "fill",
/**
 * The values by the names of the fields.
 */
values: Record<string, unknown>, };

/**
 * What a question asks.
 */
export type QuestionBody = { "type": "permission" } & PermissionView | { "type": "form" } & FormView | { "type": "page" } & PageView | { "type": "other" };

/**
 * A question of an agent to the person.
 */
export type QuestionView = {
/**
 * The id, with which the hub takes the answer.
 */
id: number,
/**
 * When the agent asked, in milliseconds since 1970.
 */
asked_at: number,
/**
 * Who asks for what, such as `gemini asks for permission: execute`.
 */
headline: Line,
/**
 * The question.
 */
about: QuestionBody, };

/**
 * A change of the prompts that wait.
 */
export type QueueChange = { "type": "edit",
/**
 * The id of the prompt.
 */
id: number,
/**
 * The text.
 */
text: string, } | { "type": "remove",
/**
 * The id of the prompt.
 */
id: number, } | { "type": "move",
/**
 * The id of the prompt.
 */
id: number,
/**
 * Its new index.
 */
to: number, } | { "type": "send_now",
/**
 * The id of the prompt.
 */
id: number, } | { "type": "release" };

/**
 * A prompt that waits.
 */
export type QueueItem = {
/**
 * Its id in the queue.
 */
id: number,
/**
 * Its text.
 */
text: string,
/**
 * The number of its parts that are not text.
 */
attachments: number, };

/**
 * Reads what turns changed.
 */
export type ReadReview = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * The first turn; the first one of all if absent.
 */
first: number | null,
/**
 * The last turn; the last one of all if absent.
 */
last: number | null, };

/**
 * Reads rows that were not sent.
 */
export type ReadRows = {
/**
 * The number of the watch.
 */
watch: number,
/**
 * The first row.
 */
from: number,
/**
 * The row after the last one.
 */
to: number, };

/**
 * What going back undoes.
 */
export type RestoreGoal = { "type": "point",
/**
 * The id of the point.
 */
id: string, } | { "type": "hunks",
/**
 * Their ids.
 */
hunks: Array<string>, } | { "type": "last_restore" };

/**
 * What going back would do.
 */
export type RestorePreview = {
/**
 * The number by which it is confirmed, once. Valid until the next preview of this client.
 */
preview: number,
/**
 * The files, one in each line. For hunks, the lines follow that go and that come back.
 */
lines: Array<Line>,
/**
 * Whether there is nothing to restore.
 */
isEmpty: boolean,
/**
 * Whether files stay because they are protected, or because others changed them too: a
 * preview with `force` includes them.
 */
needsForce: boolean, };

/**
 * What goes back.
 */
export type RestoreWhat = "files" | "conversation" | "both";

/**
 * What came of a restore.
 */
export type Restored = {
/**
 * What happened, one notice in each line.
 */
lines: Array<Line>,
/**
 * The session to go on with.
 */
session: OfSession, };

/**
 * What turns changed.
 */
export type ReviewItems = {
/**
 * The files, with their hunks in the order of their ids.
 */
files: Array<ReviewedFile>,
/**
 * What cannot be shown or undone, and why.
 */
notes: Array<Line>, };

/**
 * What turns changed in a file.
 */
export type ReviewedFile = {
/**
 * The change.
 */
change: FileDiff,
/**
 * The hunks.
 */
hunks: Array<ReviewedHunk>, };

/**
 * A hunk to decide about.
 */
export type ReviewedHunk = {
/**
 * Its id.
 */
id: string,
/**
 * The index of its hunk in the change.
 */
index: number,
/**
 * The decision so far.
 */
state: HunkState,
/**
 * The person's comment; empty if there is none.
 */
comment: string, };

/**
 * The meaning of a piece of text.
 */
export type Role = "text" | "muted" | "heading" | "code" | "path" | "name" | "added" | "removed" | "success" | "warning" | "error" | "running" | "keyword" | "function" | "type" | "string" | "constant" | "comment";

/**
 * One entry of a conversation.
 */
export type Row = {
/**
 * The id of the row: its index in [`attache_session::Session::entries`].
 */
id: number,
/**
 * When the row began, in milliseconds since 1970.
 */
at: number,
/**
 * How deeply the row is nested; 0 unless it belongs to a subagent.
 */
depth: number,
/**
 * What to show.
 */
content: RowContent, };

/**
 * What a row shows.
 */
export type RowContent = { "type": "prompt",
/**
 * The text.
 */
blocks: Array<Block>, } | { "type": "answer",
/**
 * The text.
 */
blocks: Array<Block>, } | { "type": "thought",
/**
 * The text.
 */
blocks: Array<Block>, } | { "type": "tool_call" } & ToolCallRow | { "type": "plan" } & PlanRow | { "type": "notice" } & NoticeRow | { "type": "compaction" } & CompactionRow | { "type": "subagent" } & SubagentRow | { "type": "other",
/**
 * The description, in a few words.
 */
line: Line, };

/**
 * Rows of a session: the last ones of those that were asked for, at most 500, and fewer if
 * they are large.
 */
export type Rows = {
/**
 * The rows, in order.
 */
rows: Array<Row>, };

/**
 * A rule that an answer can add.
 */
export type RuleChoice = {
/**
 * The key that chooses it.
 */
key: string,
/**
 * Where the rule applies.
 */
reach: RuleReach,
/**
 * What the rule does, in words.
 */
meaning: Line,
/**
 * The rule as `attache permissions` lists it.
 */
rule: Line, };

/**
 * Where a rule applies.
 */
export type RuleReach = "session" | "project" | "everywhere";

/**
 * What a client may do. Each scope includes the ones before it.
 */
export type Scope = "watch" | "answer" | "control";

/**
 * A device that asks for a larger scope.
 */
export type ScopeRequest = {
/**
 * The id of the device.
 */
device: string,
/**
 * Its name, sanitized.
 */
name: Line,
/**
 * The scope that it asks for.
 */
scope: Scope, };

/**
 * Finds text in a session, or in all stored sessions.
 */
export type Search = {
/**
 * The words.
 */
words: string,
/**
 * The watch of the session; all sessions if absent.
 */
watch: number | null, };

/**
 * Sends a prompt, which waits while a turn runs.
 */
export type SendPrompt = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * The content blocks, as in `session/prompt`: text, images, links to files.
 */
content: Array<unknown>, };

/**
 * Changes of a session. Parts that are absent did not change.
 */
export type SessionChanged = {
/**
 * The number of the watch.
 */
watch: number,
/**
 * Where the client is after it applied this.
 */
position: ViewPosition,
/**
 * Whether all rows that the client knows are void.
 */
replaced: boolean,
/**
 * The number of rows of the session now.
 */
count: number,
/**
 * The rows that changed or are new, by `id`, which is the index. A row below the first one
 * that was sent is read with `_attache/rows`.
 */
rows: Array<Row>,
/**
 * The status.
 */
status?: StatusLine | null,
/**
 * The open questions.
 */
questions?: Array<QuestionView> | null,
/**
 * The config options.
 */
options?: Array<OptionItem> | null,
/**
 * The commands.
 */
commands?: Array<CommandItem> | null,
/**
 * The prompts that wait.
 */
queue?: Array<QueueItem> | null,
/**
 * The text that is not sent yet, and who wrote it.
 */
draft?: Draft | null,
/**
 * Whether the agent accepts images in prompts; `null` while it does not run.
 */
images?: boolean | null,
/**
 * Says why the session cannot go on; `null` once it can.
 */
closed?: Line | null, };

/**
 * A session in the list.
 */
export type SessionItem = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
id: string,
/**
 * The title; empty if the session has none.
 */
title: Line,
/**
 * The folder.
 */
folder: Line,
/**
 * What happens in the session; `None` if it is not open.
 */
activity: Activity | null,
/**
 * When it last changed, in milliseconds since 1970; `None` if unknown.
 */
updated_at: number | null,
/**
 * The number of answers that the person has not seen.
 */
unread: number,
/**
 * The number of prompts that wait for their turn.
 */
queued: number,
/**
 * The cost, if the agent says it. Only open sessions have one.
 */
cost: Line | null,
/**
 * All tags.
 */
tags: Array<string>,
/**
 * The tags to show: see [`shown_tags`].
 */
shown_tags: Array<string>,
/**
 * The status that the person or the agent gave the session.
 */
status: Line | null,
/**
 * Whether the session is archived.
 */
archived: boolean,
/**
 * Whether its history can be read without its agent.
 */
stored: boolean, };

/**
 * The sessions of a hub, and who waits for the person.
 */
export type SessionListView = {
/**
 * The sessions, the newest first.
 */
sessions: Array<SessionItem>,
/**
 * What needs the person, the most urgent first: questions, the oldest first; then problems;
 * then answers that the person has not seen.
 */
attention: Array<AttentionItem>, };

/**
 * Stores the text that is not sent yet.
 */
export type SetDraft = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * The text.
 */
text: string, };

/**
 * Sets a config option.
 */
export type SetOption = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * The id of the option; `mode` for the mode of an agent with modes only.
 */
option: string,
/**
 * The id of the value.
 */
value: string, };

/**
 * The status line of a session.
 */
export type StatusLine = {
/**
 * The name of the agent.
 */
agent: Line,
/**
 * The title of the session.
 */
title: Line | null,
/**
 * The model, if the agent says it.
 */
model: Line | null,
/**
 * The mode, if the agent has modes.
 */
mode: Line | null,
/**
 * How much the model thinks, if the agent offers a choice.
 */
thought_level: Line | null,
/**
 * How full the context is; `None` if the agent does not say it.
 */
context: ContextUse | null,
/**
 * The cost of the session in each currency.
 */
costs: Array<Line>,
/**
 * What happens now.
 */
activity: Activity,
/**
 * The number of prompts that wait for their turn.
 */
queued: number,
/**
 * Why the waiting prompts are not sent; `None` if they are, or if there are none.
 */
held: Line | null,
/**
 * What the person should know.
 */
warnings: Array<Line>, };

/**
 * The progress of a step.
 */
export type StepState = "pending" | "running" | "done" | "cancelled";

/**
 * Stops a tool call alone, if the agent can do that.
 */
export type StopCall = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * The id of the tool call.
 */
call: string, };

/**
 * A session that the agent started for a part of the work.
 */
export type SubagentRow = {
/**
 * The id of the session, whose rows a front end may show below this row.
 */
session: string,
/**
 * The title of the session.
 */
line: Line,
/**
 * The status in one word, such as `running`; empty if unknown.
 */
status: Line, };

/**
 * A table.
 */
export type Table = {
/**
 * The alignment of each column.
 */
alignments: Array<Alignment>,
/**
 * The cells of the header. Empty if the table continues the block before it: a long table is
 * divided, so that its first rows are complete while later ones still come.
 */
header: Array<Line>,
/**
 * The cells of each row. A row may have fewer cells than the table has columns.
 */
rows: Array<Array<Line>>, };

/**
 * A tool call.
 */
export type ToolCallRow = {
/**
 * The id of the call in its session.
 */
id: string,
/**
 * The kind, in one word, such as `read` or `execute`.
 */
kind: string,
/**
 * The agent's title.
 */
title: Line,
/**
 * What the call does according to its arguments: the command, the paths, the query. Empty if
 * the title already says it.
 */
effect: Array<Line>,
/**
 * The status.
 */
status: CallStatus,
/**
 * When the call ended, in milliseconds since 1970; `None` while it runs.
 */
ended_at: number | null,
/**
 * The files that the call works on, relative to the session's folder where possible. Those
 * that the title names are omitted.
 */
places: Array<Line>,
/**
 * The parts of the output, in order.
 */
outputs: Array<Output>,
/**
 * Whether only the model needs the output, as after a read. A front end then hides it until
 * the person asks for it; failures are shown.
 */
quiet: boolean,
/**
 * Whether the person can cancel the call without ending the turn.
 */
can_cancel: boolean, };

/**
 * More messages with an agent.
 */
export type TraceChanged = {
/**
 * The number of the watch.
 */
watch: number,
/**
 * The run of the hub. Another run counts from 1 again.
 */
run: number,
/**
 * The messages in the order in which they were sent. Messages whose numbers are missing
 * were left out, because they came before the watch or faster than it reads.
 */
lines: Array<TraceLine>, };

/**
 * A message between the hub and an agent.
 */
export type TraceLine = {
/**
 * The number of the message among those with the agent, from 1.
 */
number: number,
/**
 * The number of the connection, from 1.
 */
connection: number,
/**
 * The sender: `client`, which is the hub, or `agent`.
 */
from: string,
/**
 * When it was sent, in microseconds since 1970.
 */
at: number,
/**
 * Its size in bytes.
 */
size: number,
/**
 * Whether `text` is JSON. Of a message of more than 256 KiB, `text` is the beginning.
 */
isJson: boolean,
/**
 * The message; its secrets are masked.
 */
text: string,
/**
 * The rules of the protocol that it breaks.
 */
broken: Array<BrokenRule>, };

/**
 * A place in the messages with an agent.
 */
export type TracePosition = {
/**
 * The run of the hub.
 */
run: number,
/**
 * The number of the last message.
 */
number: number, };

/**
 * An agent to which the hub has connected.
 */
export type TracedAgent = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * Whether the hub is connected to it.
 */
isConnected: boolean,
/**
 * When the latest connection began, in milliseconds since 1970.
 */
beganAt: number,
/**
 * The number of messages in both directions so far.
 */
messages: number, };

/**
 * The agents whose messages can be watched.
 */
export type Traces = {
/**
 * The agents, by name.
 */
agents: Array<TracedAgent>, };

/**
 * What the person wrote that the agent did not get.
 */
export type Unsent = {
/**
 * The text that is not sent yet; empty if there is none.
 */
draft: string,
/**
 * The number of prompts that wait.
 */
waiting: number, };

/**
 * Ends a watch.
 */
export type Unwatch = {
/**
 * Its number.
 */
watch: number, };

/**
 * A position in the rows of a session.
 */
export type ViewPosition = {
/**
 * Names the history: it changes when the history is replaced.
 */
generation: number,
/**
 * The number of the last change that the client has.
 */
sequence: number,
/**
 * The run of the hub: positions of an earlier run are worth nothing.
 */
run: string, };

/**
 * Follows the hub: its agents, the list of sessions, and who waits for the person.
 */
export type WatchHub = {
/**
 * Leaves out sessions without these words.
 */
words: string,
/**
 * Whether archived sessions are listed too.
 */
archived: boolean,
/**
 * The largest number of sessions to list; 100 if absent.
 */
limit: number | null, };

/**
 * Follows a session. A session that is only stored is opened first, which needs the scope
 * `control`.
 */
export type WatchSession = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * The id of the session.
 */
sessionId: string,
/**
 * What the client knows already: only later changes are sent.
 */
since: ViewPosition | null,
/**
 * The largest number of latest rows to send at first; 200 if absent. Fewer are sent if
 * they are large, or if earlier rows must be read with `_attache/rows`.
 */
rows: number | null, };

/**
 * Follows the messages with an agent, also over later connections. Begins with the first
 * messages of the connection.
 */
export type WatchTrace = {
/**
 * The name of the agent in the hub.
 */
agent: string,
/**
 * What the client has already.
 */
since: TracePosition | null, };

/**
 * The watch that was begun. Ends with the connection at the latest.
 */
export type Watching = {
/**
 * Its number, which its notifications carry.
 */
watch: number, };

/**
 * Reads a tool call with its whole output.
 */
export type WholeCall = {
/**
 * The number of the watch.
 */
watch: number,
/**
 * The row.
 */
row: number, };
