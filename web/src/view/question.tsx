import type {
  Choice,
  PageView,
  PermissionView,
  QuestionAnswer,
  QuestionView,
  RuleChoice,
  Scope,
} from "../../../crates/serve/types.ts";
import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";
import { attempt, may } from "../store/app.ts";
import type { ShownSession } from "../store/session.ts";
import { plain } from "../text.ts";
import { Blocks } from "./blocks.tsx";
import { FormQuestion } from "./form.tsx";
import { NeedsScope } from "./scope.tsx";
import { CodeLines, Spans } from "./text.tsx";
import { OutputView } from "./tool_call.tsx";
import { Ago } from "./ago.tsx";

const REACH = {
  session: "In this session",
  project: "In this project",
  everywhere: "Everywhere",
} as const;

/** In a narrow window the answers that matter most stay in view, and a button shows the others. */
const NARROW = matchMedia("(max-width: 760px)");
const isNarrow = signal(NARROW.matches);
NARROW.addEventListener("change", () => (isNarrow.value = NARROW.matches));

/** The answers that a narrow window always shows. */
const FIRST = ["allow", "reject", "accept", "decline", "cancel"];

/** Rules beyond the session change the settings of this machine. */
function scopeOf(rule: RuleChoice): Scope {
  return rule.reach === "session" ? "answer" : "control";
}

function Permission({ asked }: { asked: PermissionView }): JSX.Element {
  return (
    <>
      {plain(asked.title) !== "" && (
        <p class="strong">
          <Spans line={asked.title} />
        </p>
      )}
      <Blocks blocks={asked.stated} />
      {asked.effect.length > 0 && <CodeLines lines={asked.effect} label="what the call does" />}
      {asked.outputs.map((output, index) => (
        <OutputView key={index} output={output} />
      ))}
      {asked.protected && (
        <p class="r-warning">
          ⚠ <Spans line={asked.protected} />
        </p>
      )}
      {asked.covered && <p class="muted">An earlier answer covers this call.</p>}
    </>
  );
}

function Page({ page }: { page: PageView }): JSX.Element {
  const address = plain(page.address);
  const isSafe = /^https?:\/\//i.test(address);
  return (
    <>
      <Blocks blocks={page.message} />
      <p class="address">
        <Spans line={page.address} />
      </p>
      {page.warnings.map((warning, index) => (
        <p key={index} class="r-warning">
          ⚠ <Spans line={warning} />
        </p>
      ))}
      {isSafe && (
        <a class="button" href={address} target="_blank" rel="noopener noreferrer nofollow">
          Open <Spans line={page.host} />
        </a>
      )}
    </>
  );
}

function choicesOf(question: QuestionView): Choice[] {
  return question.about.type === "other" ? [] : question.about.choices;
}

function isMain(choice: Choice): boolean {
  return choice.action.type === "allow" || choice.action.type === "accept";
}

/** A question of the agent with all its answers. */
export function Question(props: {
  /** The session; without an id if the question belongs to none. */
  of: { agent: string; sessionId: string | null };
  question: QuestionView;
  others?: ComponentChildren;
}): JSX.Element {
  const { question } = props;
  const problem = useSignal<string | null>(null);
  const busy = useSignal(false);
  /** The choice that needs more: a rule or a reason. */
  const more = useSignal<number | null>(null);
  const why = useSignal("");
  const collect = useRef<(() => Record<string, unknown> | null) | null>(null);
  const unfolded = useSignal(false);

  const send = async (answer: QuestionAnswer): Promise<void> => {
    busy.value = true;
    problem.value = null;
    const { agent, sessionId } = props.of;
    await attempt("_attache/answer", { agent, sessionId, question: question.id, answer });
    busy.value = false;
  };
  const choose = (choice: Choice, index: number): void => {
    const { type } = choice.action;
    if (type === "accept" && question.about.type === "form") {
      const values = collect.current?.() ?? null;
      if (values !== null) void send({ type: "fill", values });
    } else if (type === "allow_always" || type === "reject_always" || type === "reject_and_say") {
      more.value = more.value === index ? null : index;
    } else {
      void send({ type: "choose", choice: index, rule: null, why: null });
    }
  };
  const allowed = may("answer");
  const { about } = question;
  const choices = choicesOf(question).map((choice, index) => ({ choice, index }));
  const isFirst = ({ choice }: { choice: Choice }): boolean => FIRST.includes(choice.action.type);
  // A question that only the agent's own answers allow shows them all.
  const folds = isNarrow.value && choices.some(({ choice }) => isMain(choice));
  const first = folds ? choices.filter(isFirst) : choices;
  const others = folds ? choices.filter((each) => !isFirst(each)) : [];
  const opened = more.value === null ? undefined : choices[more.value];
  const answers = (shown: typeof choices): JSX.Element[] =>
    shown.map(({ choice, index }) => (
      <button
        key={index}
        class={isMain(choice) ? "main" : ""}
        disabled={!allowed || busy.value}
        aria-expanded={hasMore(choice) ? more.value === index : undefined}
        onClick={() => choose(choice, index)}
      >
        <span>
          <Spans line={choice.label} />
        </span>
      </button>
    ));
  return (
    <section class="question" aria-label="Question of the agent">
      <header class="question-head">
        <h2>
          <Spans line={question.headline} />
        </h2>
        <span class="muted">
          <Ago since={question.asked_at} />
        </span>
        {props.others}
      </header>
      <div class="question-body" tabIndex={0} role="group" aria-label="What is asked">
        {about.type === "permission" && <Permission asked={about} />}
        {about.type === "page" && <Page page={about} />}
        {about.type === "form" && (
          <FormQuestion form={about} id={question.id} problem={problem} collect={collect} />
        )}
        {about.type === "other" && (
          <p>This page does not know this kind of question. Answer it in another front end.</p>
        )}
        {unfolded.value && others.length > 0 && (
          <InView>
            <div class="choices">{answers(others)}</div>
          </InView>
        )}
        {opened && hasMore(opened.choice) && (
          <InView key={opened.index}>
            <More {...opened} why={why} send={(answer) => void send(answer)} />
          </InView>
        )}
      </div>
      {problem.value !== null && (
        <p class="r-error" role="alert">
          {problem.value}
        </p>
      )}
      <div class="choices first">
        {answers(first)}
        {others.length > 0 && (
          <button
            class="quiet"
            aria-expanded={unfolded.value}
            onClick={() => {
              unfolded.value = !unfolded.value;
              more.value = null;
            }}
          >
            Other answers ({others.length})
          </button>
        )}
      </div>
      {!allowed && <NeedsScope scope="answer" what="answer questions" />}
    </section>
  );
}

/** Something that appeared: it scrolls into view. */
function InView({ children }: { children: ComponentChildren }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), []);
  return <div ref={place}>{children}</div>;
}

function hasMore({ action }: Choice): boolean {
  return "rules" in action || action.type === "reject_and_say";
}

function More(props: {
  choice: Choice;
  index: number;
  why: { value: string };
  send(answer: QuestionAnswer): void;
}): JSX.Element | null {
  const { choice, index, why } = props;
  const { action } = choice;
  if (action.type === "reject_and_say") {
    return (
      <form
        class="more"
        onSubmit={(event) => {
          event.preventDefault();
          props.send({ type: "choose", choice: index, rule: null, why: why.value });
        }}
      >
        <label for="why">What should the agent do instead?</label>
        <textarea
          id="why"
          rows={2}
          value={why.value}
          onInput={(event) => (why.value = event.currentTarget.value)}
        />
        <NeedsScope scope="control" what="tell the agent more, which is a prompt" />
        <button class="main" disabled={why.value.trim() === "" || !may("control")}>
          Reject and say this
        </button>
      </form>
    );
  }
  if (action.type !== "allow_always" && action.type !== "reject_always") return null;
  return (
    <div class="more">
      {action.rules.map((rule, at) => (
        <button
          key={at}
          class="rule"
          disabled={!may(scopeOf(rule))}
          onClick={() => props.send({ type: "choose", choice: index, rule: at, why: null })}
        >
          <span class="strong">{REACH[rule.reach]}</span>
          <span>
            <Spans line={rule.meaning} />
          </span>
          <code class="muted">{plain(rule.rule)}</code>
        </button>
      ))}
    </div>
  );
}

/** The open questions of a session, one at a time. */
export function Questions({ session }: { session: ShownSession }): JSX.Element | null {
  const at = useSignal(0);
  void session.version.value;
  const { questions } = session.state;
  const index = Math.min(at.value, questions.length - 1);
  const question = questions[index];
  if (question === undefined) return null;
  const others = questions.length > 1 && (
    <span class="pager">
      <button
        class="icon"
        aria-label="Previous question"
        disabled={index === 0}
        onClick={() => (at.value = index - 1)}
      >
        ‹
      </button>
      {index + 1} of {questions.length}
      <button
        class="icon"
        aria-label="Next question"
        disabled={index + 1 === questions.length}
        onClick={() => (at.value = index + 1)}
      >
        ›
      </button>
    </span>
  );
  return <Question key={question.id} of={session} question={question} others={others} />;
}
