//! The verbs of the offline model that show what a client can show: plans, thoughts, long answers,
//! failures, questions, subagents, pages.

use super::ModelEvent;
use super::offline::{Done, plan, read, thought};
use super::offline_answer::failure;
use crate::tools::ask::{Ask, Question};
use crate::tools::exit_plan::ExitPlan;
use crate::tools::fetch::Fetch;
use crate::tools::fit::{code, counted, ends_within, one_line};
use crate::tools::task::Task;
use crate::tools::{Action, Finding};

/// How much of a page or a report is told, in bytes of JSON.
const TOLD: usize = 8 * 1024;

/// The file that `fail` wants to read.
const MISSING: &str = "there is no such file";

fn says(text: impl Into<String>) -> Vec<ModelEvent> {
    vec![ModelEvent::Text(text.into())]
}

/// `plan A, B, C`: the plan, each step done after the other.
pub(super) fn planned(steps: &[String]) -> Vec<ModelEvent> {
    let mut events =
        vec![thought("I show the steps, and tick them off one by one. Nothing is done.")];
    events.extend((0..=steps.len()).map(|completed| plan(steps, completed)));
    events
}

/// What is said when the plan is through.
pub(super) fn plan_answer(steps: &[String]) -> Vec<ModelEvent> {
    let rows: String = steps.iter().map(|step| format!("- {}\n", one_line(step, 200))).collect();
    says(format!("A plan of {}, all ticked off:\n\n{rows}", counted(steps.len() as u64, "step")))
}

/// `leave plan mode`.
pub(super) fn leave_plan(done: &Done<'_>) -> Vec<ModelEvent> {
    match done.first() {
        None => {
            let plan =
                "1. Leave the mode Plan\n2. Work with you on what you ask for next".to_owned();
            vec![
                thought("I ask to leave the mode Plan."),
                ModelEvent::Use(Action::ExitPlan(ExitPlan { plan })),
            ]
        }
        Some((_, result)) => says(failure(result)),
    }
}

/// `think about X`: three thoughts, then an answer.
pub(super) fn think(about: &str) -> Vec<ModelEvent> {
    let about = code(about);
    vec![
        thought(format!("First I think of what {about} is.\n")),
        thought(format!("Then of what {about} is not.\n")),
        thought("Then I know that I am a model without a provider, and stop."),
        ModelEvent::Text(format!(
            "I thought about {about} in three thoughts, and came to nothing.\n"
        )),
    ]
}

/// `count to N`: a number a line; the step pauses before each.
pub(super) fn count(to: u32) -> Vec<ModelEvent> {
    (1..=to).map(|number| ModelEvent::Text(format!("{number}\n"))).collect()
}

/// `fail`: a tool that cannot do what it is asked for.
pub(super) fn fail(done: &Done<'_>) -> Vec<ModelEvent> {
    match done.first() {
        None => vec![thought("I read a file that is not there."), read(MISSING, None)],
        Some((_, result)) => says(format!("The tool failed, as it was to: {}", failure(result))),
    }
}

/// `ask QUESTION: A, B`: the person is asked.
pub(super) fn ask(question: &str, options: &[String], done: &Done<'_>) -> Vec<ModelEvent> {
    match done.first() {
        None => {
            let question = Question {
                question: question.to_owned(),
                options: options.to_vec(),
                several: false,
            };
            vec![ModelEvent::Use(Action::Ask(Ask { questions: vec![question] }))]
        }
        Some((_, result)) => match result.text.split_once("\n> ") {
            Some((_, answer)) if !result.failed => says(answered(answer)),
            _ => says(failure(result)),
        },
    }
}

/// What is said of an answer, by form or by the next prompt.
pub(super) fn answered(answer: &str) -> String {
    format!("Your answer is {}.\n", code(answer.trim()))
}

/// `delegate PROMPT`: a subagent with the same model does it.
pub(super) fn delegate(prompt: &str, done: &Done<'_>) -> Vec<ModelEvent> {
    match done.first() {
        None => {
            let task =
                Task { title: one_line(prompt, 60), prompt: prompt.to_owned(), read_only: false };
            vec![thought("I give this to a subagent."), ModelEvent::Use(Action::Task(task))]
        }
        Some((_, result)) if result.failed => says(failure(result)),
        Some((_, result)) => {
            says(format!("The subagent reports:\n\n{}", ends_within(&result.text, TOLD)))
        }
    }
}

/// `fetch URL`.
pub(super) fn fetch(url: &str, done: &Done<'_>) -> Vec<ModelEvent> {
    match done.first() {
        None => vec![
            thought(format!("I fetch {}.", code(url))),
            ModelEvent::Use(Action::Fetch(Fetch { url: url.to_owned() })),
        ],
        Some((_, result)) if result.failed || result.finding == Finding::NotAllowed => {
            says(failure(result))
        }
        Some((_, result)) => says(format!("{}\n", ends_within(&result.text, TOLD))),
    }
}
