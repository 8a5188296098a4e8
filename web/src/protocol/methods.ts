import type * as T from "../../../crates/serve/types.ts";

type Nothing = Record<string, never>;

/** The params and the result of each call to the hub. */
export interface Methods {
  "_attache/watch_hub": [T.WatchHub, T.Watching];
  "_attache/watch_session": [T.WatchSession, T.Watching];
  "_attache/unwatch": [T.Unwatch, Nothing];
  "_attache/rows": [T.ReadRows, T.Rows];
  "_attache/whole_call": [T.WholeCall, T.ToolCallRow];
  "_attache/search": [T.Search, T.Found];
  "_attache/answer": [T.AnswerQuestion, Nothing];
  "_attache/open": [T.OpenSession, T.Opened];
  "_attache/prompt": [T.SendPrompt, Nothing];
  "_attache/cancel": [T.OfSession, Nothing];
  "_attache/stop_call": [T.StopCall, Nothing];
  "_attache/restart": [T.OfAgent, Nothing];
  "_attache/continue": [T.OfSession, T.Opened];
  "_attache/queue": [T.ChangeQueue, Nothing];
  "_attache/draft": [T.SetDraft, Nothing];
  "_attache/option": [T.SetOption, Nothing];
  "_attache/change": [T.ChangeSession, Nothing];
  "_attache/files": [T.FindFiles, T.Files];
  "_attache/review": [T.ReadReview, T.ReviewItems];
  "_attache/decide": [T.DecideHunks, T.Decided];
  "_attache/checkpoints": [T.OfSession, T.Checkpoints];
  "_attache/restore_preview": [T.PreviewRestore, T.RestorePreview];
  "_attache/restore": [T.ConfirmRestore, T.Restored];
  "_attache/devices": [Nothing, T.Devices];
  "_attache/device": [T.ChangeDevice, Nothing];
  "_attache/ask_scope": [T.AskScope, Nothing];
  "_attache/traces": [Nothing, T.Traces];
  "_attache/watch_trace": [T.WatchTrace, T.Watching];
}

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M][0];
export type Result<M extends Method> = Methods[M][1];
