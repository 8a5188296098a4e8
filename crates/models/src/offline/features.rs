//! The requests to the offline model that demonstrate what a client can show: plans, thoughts, long
//! answers, failures, questions, subagents and web pages.

use super::answer::failure;
use super::current_turn::CurrentTurn;
use super::found::Found;
use super::output::Output;
use crate::text::{code, counted, ends_within, one_line};
use serde_json::json;

/// The maximum length of a web page or a subagent's report in an answer, in bytes of JSON.
const MAX_SHOWN: usize = 8 * 1024;

/// The file that `fail` reads.
const MISSING: &str = "there is no such file";

/// `plan A, B, C`: shows the plan, and completes one step after the other.
pub(crate) fn show_plan(steps: &[String]) -> Vec<Output> {
    let mut events = vec![Output::thought(
        "I show the steps and mark each one as completed. I do not do any work.",
    )];
    events.extend((0..=steps.len()).map(|completed| Output::plan(steps, completed)));
    events
}

/// `plan A, B, C`: the answer when the plan is completed.
pub(crate) fn plan_answer(steps: &[String]) -> Vec<Output> {
    let rows: String = steps.iter().map(|step| format!("- {}\n", one_line(step, 200))).collect();
    Output::text(format!(
        "A plan of {}, all completed:\n\n{rows}",
        counted(steps.len() as u64, "step")
    ))
}

/// `leave plan mode`.
pub(crate) fn leave_plan(turn: &CurrentTurn<'_>) -> Vec<Output> {
    match turn.outcomes.first() {
        None => {
            let plan =
                "1. Leave the mode Plan\n2. Work with you on what you ask for next".to_owned();
            vec![
                Output::thought("I ask to leave the mode Plan."),
                Output::Call("exit_plan", json!({ "plan": plan })),
            ]
        }
        Some(result) => Output::text(failure(result.text)),
    }
}

/// `think about X`: three thoughts, then an answer.
pub(crate) fn think(about: &str) -> Vec<Output> {
    let about = code(about);
    vec![
        Output::thought(format!("First I think of what {about} is.\n")),
        Output::thought(format!("Then of what {about} is not.\n")),
        Output::thought("Then I know that I am a model without a provider, and stop."),
        Output::Text(format!("I thought about {about} in three thoughts, and came to nothing.\n")),
    ]
}

/// `count to N`: writes one number per line, with a pause before each.
pub(crate) fn count(to: u32) -> Vec<Output> {
    (1..=to).map(|number| Output::Text(format!("{number}\n"))).collect()
}

/// `fail`: makes a tool call that fails.
pub(crate) fn fail(turn: &CurrentTurn<'_>) -> Vec<Output> {
    match turn.outcomes.first() {
        None => {
            vec![Output::thought("I read a file that does not exist."), Output::read(MISSING, None)]
        }
        Some(result) => {
            Output::text(format!("The tool failed, as requested: {}", failure(result.text)))
        }
    }
}

/// `ask QUESTION: A, B`: asks the user.
pub(crate) fn ask(turn: &CurrentTurn<'_>, question: &str, options: &[String]) -> Vec<Output> {
    match turn.outcomes.first() {
        None => {
            let question = json!({ "question": question, "options": options, "several": false });
            vec![Output::Call("ask", json!({ "questions": [question] }))]
        }
        Some(result) => match result.text.split_once("\n> ") {
            Some((_, answer)) if !result.failed => Output::text(answered(answer)),
            _ => Output::text(failure(result.text)),
        },
    }
}

/// Returns the answer that repeats the user's reply, which comes from a form or from the next
/// prompt.
pub(crate) fn answered(answer: &str) -> String {
    format!("Your answer is {}.\n", code(answer.trim()))
}

/// `delegate PROMPT`: runs the prompt in a subagent with the same model.
pub(crate) fn delegate(turn: &CurrentTurn<'_>, prompt: &str) -> Vec<Output> {
    match turn.outcomes.first() {
        None => {
            let title = one_line(prompt, 60);
            let arguments = json!({ "title": title, "prompt": prompt, "read_only": false });
            vec![Output::thought("I give this to a subagent."), Output::Call("task", arguments)]
        }
        Some(result) if result.failed => Output::text(failure(result.text)),
        Some(result) => Output::text(format!(
            "The subagent reports:\n\n{}",
            ends_within(result.text, MAX_SHOWN)
        )),
    }
}

/// `fetch URL`.
pub(crate) fn fetch(turn: &CurrentTurn<'_>, url: &str) -> Vec<Output> {
    match turn.outcomes.first() {
        None => vec![
            Output::thought(format!("I fetch {}.", code(url))),
            Output::Call("fetch", json!({ "url": url })),
        ],
        Some(result) if result.failed || result.found == Found::NotAllowed => {
            Output::text(failure(result.text))
        }
        Some(result) => Output::text(format!("{}\n", ends_within(result.text, MAX_SHOWN))),
    }
}
