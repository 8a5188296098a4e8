// The person's answers to the permission requests of version 2, which have a title and a subject.
import { Questions as QuestionsOfVersion1 } from "../questions.mjs";

export class Questions extends QuestionsOfVersion1 {
  ask({ title, subject, options }, signal) {
    const toolCall = subject?.type === "tool_call" ? subject.toolCall : undefined;
    return this.answer({ title, subject }, toolCall, options, signal);
  }
}
