//! The model `offline`: no key, no network, and the same answer every time. `OFFLINE.md` says what
//! it understands.

use super::grammar::{self, Request};
use super::offline_answer as answer;
use super::offline_features;
use super::{Brief, Model, ModelEvent, ModelMessage, ModelStop, NextEvent, Part, Step, TokenUsage};
use crate::conversation::{Conversation, Message, Prompt, tokens};
use crate::tools::edit::{Edit, Replacement};
use crate::tools::execute::Execute;
use crate::tools::fit::code;
use crate::tools::grep::{Grep, Matches};
use crate::tools::list::List;
use crate::tools::read::{Read, Unreadable};
use crate::tools::{Action, Finding, ToolResult};
use attache_protocol::v1::{PlanEntry, PlanEntryPriority, PlanEntryStatus};
use std::collections::VecDeque;
use std::time::Duration;

/// The window that it declares, in tokens.
const WINDOW: u64 = 32_768;

/// How many files one rename changes.
pub(super) const FILES_RENAMED: usize = 40;

/// The longest prompt that is taken as a request, in bytes.
const LONGEST_REQUEST: usize = 16 * 1024;

/// How many files a summary reads.
const FILES_SUMMARIZED: usize = 3;

/// The model without a provider.
#[derive(Debug)]
pub(crate) struct Offline;

/// Before each number that is counted.
const PAUSE: Duration = Duration::from_millis(100);

struct OfflineStep {
    events: VecDeque<ModelEvent>,
    /// Before each piece of text.
    pause: Duration,
}

impl Model for Offline {
    fn title(&self) -> &str {
        "Offline"
    }

    fn window(&self) -> Option<u64> {
        Some(WINDOW)
    }

    fn size(&self) -> u64 {
        WINDOW
    }

    fn around(&self, _: &Brief) -> u64 {
        0
    }

    fn writes(&self) -> bool {
        false
    }

    fn takes(&self, part: &Part) -> bool {
        matches!(part, Part::Text(_))
    }

    fn cost(&self, _: &TokenUsage) -> Option<f64> {
        Some(0.0)
    }

    fn step<'m>(&'m self, conversation: &'m Conversation, _: &Brief) -> Box<dyn Step + 'm> {
        let present = conversation.present();
        let counts =
            present.is_some_and(|(prompt, _)| matches!(request(prompt), Request::Count(_)));
        let mut events = match present {
            Some((prompt, messages)) => match conversation.before_present() {
                // The last turn ended with a question in words.
                Some(Message::Tool(Action::Ask(_), result))
                    if result.finding == Finding::Asked && request(prompt) == Request::Unknown =>
                {
                    vec![ModelEvent::Text(offline_features::answered(&prompt.text))]
                }
                _ => events(prompt, messages),
            },
            None => Vec::new(),
        };
        let usage = spent(conversation.tokens(), &events);
        events.push(ModelEvent::Done { message: None, stop: ModelStop::End, usage });
        Box::new(OfflineStep {
            events: events.into(),
            pause: if counts { PAUSE } else { Duration::ZERO },
        })
    }
}

impl Step for OfflineStep {
    fn next(&mut self) -> NextEvent<'_> {
        Box::pin(async {
            if matches!(self.events.front(), Some(ModelEvent::Text(_))) && !self.pause.is_zero() {
                tokio::time::sleep(self.pause).await;
            }
            self.events.pop_front().map(Ok)
        })
    }

    fn said(&self) -> Option<ModelMessage> {
        None
    }
}

/// The tokens of one step; thoughts are part of the output.
fn spent(input: u64, events: &[ModelEvent]) -> TokenUsage {
    let (mut output, mut thought) = (0, 0);
    for event in events {
        match event {
            ModelEvent::Text(text) => output += tokens(text),
            ModelEvent::Thought(text) => {
                output += tokens(text);
                thought += tokens(text);
            }
            ModelEvent::Use(action) => output += tokens(&action.raw_input().to_string()),
            ModelEvent::Waiting { .. } | ModelEvent::Done { .. } => {}
        }
    }
    TokenUsage { input, output, thought: Some(thought), ..TokenUsage::default() }
}

/// What was done in this turn so far, plans left out.
pub(super) type Done<'d> = [(&'d Action, &'d ToolResult)];

fn events(prompt: &Prompt, messages: &[Message]) -> Vec<ModelEvent> {
    let done: Vec<_> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool(Action::Plan(_), _) => None,
            Message::Tool(action, result) => Some((action, result)),
            _ => None,
        })
        .collect();
    // The answer comes after the plan says that everything is done.
    let planned = messages.last().is_some_and(|message| match message {
        Message::Tool(Action::Plan(steps), _) => {
            steps.iter().all(|step| step.status == PlanEntryStatus::Completed)
        }
        _ => false,
    });
    if prompt.text.len() > LONGEST_REQUEST {
        return vec![ModelEvent::Text(answer::too_long(prompt.text.len(), LONGEST_REQUEST))];
    }
    match request(prompt) {
        Request::Summarize => summarize(&done, planned),
        Request::Show { file, lines } => show(prompt, &file, lines, &done),
        Request::WhereUsed(name) => where_used(&name, &done),
        Request::Find(text) => find(&text, &done),
        Request::Rename { from, to, path } => rename([&from, &to, &path], &done, planned),
        Request::Run(command) => run(&command, &done),
        Request::Plan(steps) if planned => offline_features::plan_answer(&steps),
        Request::Plan(steps) => offline_features::planned(&steps),
        Request::LeavePlan => offline_features::leave_plan(&done),
        Request::Think(about) => offline_features::think(&about),
        Request::Count(to) => offline_features::count(to),
        Request::Fail => offline_features::fail(&done),
        Request::Ask { question, options } => offline_features::ask(&question, &options, &done),
        Request::Delegate(prompt) => offline_features::delegate(&prompt, &done),
        Request::Fetch(url) => offline_features::fetch(&url, &done),
        Request::Help => vec![ModelEvent::Text(answer::HELP.to_owned())],
        Request::Incomplete(form) => vec![ModelEvent::Text(answer::incomplete(form))],
        Request::Unknown => vec![ModelEvent::Text(answer::unknown())],
    }
}

/// The request of the text alone or, if that is not whole, with the files that came as blocks in
/// their places.
fn request(prompt: &Prompt) -> Request {
    let whole = |request: &Request| !matches!(request, Request::Incomplete(_) | Request::Unknown);
    let request = grammar::parse(&prompt.text);
    if whole(&request) || prompt.files.is_empty() {
        return request;
    }
    let with_paths = match prompt.text.trim() {
        // A file alone is to be shown.
        "" => grammar::parse(&format!("show {}", prompt.with_paths)),
        _ => grammar::parse(&prompt.with_paths),
    };
    if whole(&with_paths) { with_paths } else { request }
}

pub(super) fn thought(text: impl Into<String>) -> ModelEvent {
    ModelEvent::Thought(text.into())
}

pub(super) fn read(path: &str, lines: Option<(u32, u32)>) -> ModelEvent {
    let limit = lines.map(|(first, last)| (last - first).saturating_add(1));
    ModelEvent::Use(Action::Read(Read {
        path: path.to_owned(),
        line: lines.map(|(first, _)| first),
        limit,
    }))
}

fn list(path: &str, glob: Option<String>) -> ModelEvent {
    ModelEvent::Use(Action::List(List { path: path.to_owned(), glob }))
}

/// A plan of which the first `completed` steps are done, and the next is being done.
pub(super) fn plan(steps: &[String], completed: usize) -> ModelEvent {
    let entries = steps.iter().enumerate().map(|(index, step)| {
        let status = match index.cmp(&completed) {
            std::cmp::Ordering::Less => PlanEntryStatus::Completed,
            std::cmp::Ordering::Equal => PlanEntryStatus::InProgress,
            std::cmp::Ordering::Greater => PlanEntryStatus::Pending,
        };
        PlanEntry::new(step.as_str(), PlanEntryPriority::Medium, status)
    });
    ModelEvent::Use(Action::Plan(entries.collect()))
}

fn summarize(done: &Done<'_>, planned: bool) -> Vec<ModelEvent> {
    let mut steps = vec!["List the files of the project".to_owned()];
    let Some((_, listed)) = done.first() else {
        steps.push("Read its README and manifests".to_owned());
        return vec![
            thought("I list the files, then read the README and the manifests of the top folder."),
            plan(&steps, 0),
            list(".", None),
        ];
    };
    let Finding::Files(files) = &listed.finding else {
        return vec![ModelEvent::Text(answer::failure(listed))];
    };
    let mut chosen: Vec<&String> =
        files.named.iter().filter(|name| answer::telling(name)).collect();
    chosen.sort_by_key(|name| answer::is_manifest(name));
    chosen.truncate(FILES_SUMMARIZED);
    steps.extend(chosen.iter().map(|name| format!("Read {name}")));
    let reads = done.get(1..).unwrap_or_default();
    if reads.is_empty() && !chosen.is_empty() {
        let mut events = vec![plan(&steps, 1)];
        for (index, name) in chosen.iter().enumerate() {
            events.push(read(name, Some((1, 60))));
            events.push(plan(&steps, index + 2));
        }
        return events;
    }
    match planned {
        true => {
            vec![ModelEvent::Text(answer::summary(files, reads.iter().map(|(_, result)| *result)))]
        }
        false => vec![plan(&steps, steps.len())],
    }
}

fn show(
    prompt: &Prompt,
    file: &str,
    lines: Option<(u32, u32)>,
    done: &Done<'_>,
) -> Vec<ModelEvent> {
    let Some((last, result)) = done.last() else {
        return vec![thought(format!("I read {}.", code(file))), read(file, lines)];
    };
    let attached = || {
        prompt
            .files
            .iter()
            .find(|each| mentions(&each.path, file))
            .and_then(|each| each.text.as_deref())
    };
    let text = match (&result.finding, last) {
        (Finding::Lines(lines), _) => answer::lines(lines),
        (Finding::Unreadable(_), _) if attached().is_some() => {
            answer::attached(file, attached().unwrap_or_default())
        }
        (Finding::Unreadable(Unreadable::Folder(_)), Action::Read(read)) => {
            return vec![list(&read.path, None)];
        }
        (Finding::Unreadable(Unreadable::Missing(_)), _) if done.len() == 1 => {
            return vec![
                thought("There is no such file here; I look for one of that name."),
                list(".", Some(named(file))),
            ];
        }
        // The one file of that name elsewhere.
        (Finding::Files(files), Action::List(List { glob: Some(_), .. })) => {
            match files.named.as_slice() {
                [only] => return vec![read(only, lines)],
                several => answer::not_there(file, several, files),
            }
        }
        (Finding::Files(files), _) => answer::folder(files),
        _ => answer::failure(result),
    };
    vec![ModelEvent::Text(text)]
}

/// Whether a file of the prompt is the one that was asked for, lines left out.
fn mentions(path: &str, file: &str) -> bool {
    path.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// A pattern for files of this name anywhere.
fn named(file: &str) -> String {
    let name = file.trim_start_matches("./").trim_matches('/');
    format!("**/{}", literal(name))
}

/// A pattern that means exactly this text.
fn literal(text: &str) -> String {
    let special = |each: char| matches!(each, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!' | '#');
    text.chars().flat_map(|each| special(each).then_some('\\').into_iter().chain([each])).collect()
}

fn where_used(name: &str, done: &Done<'_>) -> Vec<ModelEvent> {
    match done.first() {
        None => {
            let (pattern, path) = (name.to_owned(), ".".to_owned());
            let grep = Grep { pattern, path, regex: false, word: true, smart_case: false };
            vec![
                thought(format!("I search all files for the word {}.", code(name))),
                ModelEvent::Use(Action::Grep(grep)),
            ]
        }
        Some((_, result)) => vec![ModelEvent::Text(match &result.finding {
            Finding::Matches(matches) => answer::used(name, matches),
            _ => answer::failure(result),
        })],
    }
}

fn find(text: &str, done: &Done<'_>) -> Vec<ModelEvent> {
    match done {
        [(_, names), (_, lines), ..] => vec![ModelEvent::Text(answer::found(text, names, lines))],
        _ => {
            let (pattern, path) = (text.to_owned(), ".".to_owned());
            let grep = Grep { pattern, path, regex: false, word: false, smart_case: true };
            vec![
                thought(format!(
                    "I look for {} in file names, then in the text of all files.",
                    code(text)
                )),
                list(".", Some(format!("**/*{}*", literal(text)))),
                ModelEvent::Use(Action::Grep(grep)),
            ]
        }
    }
}

fn rename([from, to, path]: [&str; 3], done: &Done<'_>, planned: bool) -> Vec<ModelEvent> {
    let Some((_, searched)) = done.first() else {
        let (pattern, path) = (from.to_owned(), path.to_owned());
        let first = [
            format!("Find {} in {}", code(from), code(&path)),
            "Edit each file that has it".to_owned(),
        ];
        let grep = Grep { pattern, path, regex: false, word: true, smart_case: false };
        return vec![
            thought(format!(
                "I find the files that hold the word {}, then edit them one by one.",
                code(from)
            )),
            plan(&first, 0),
            ModelEvent::Use(Action::Grep(grep)),
        ];
    };
    let Finding::Matches(matches) = &searched.finding else {
        return vec![ModelEvent::Text(answer::failure(searched))];
    };
    let files = matches.files.get(..FILES_RENAMED).unwrap_or(&matches.files);
    let mut steps = vec![format!("Find {} in {}", code(from), code(path))];
    steps.extend(files.iter().map(|(file, ..)| format!("Edit {file}")));
    let edits: Vec<_> =
        done.iter().filter(|(action, _)| matches!(action, Action::Edit(_))).collect();
    let rejected = edits.iter().any(|(_, result)| result.finding == Finding::NotAllowed);
    match files.get(edits.len()) {
        // Once somebody said no, nobody is asked about the other files.
        Some((file, first, _)) if !rejected => vec![
            plan(&steps, edits.len() + 1),
            // What is edited has been read before, as the client has it.
            read(file, Some((*first, *first))),
            ModelEvent::Use(Action::Edit(Edit {
                path: file.clone(),
                replacements: vec![word(from, to)],
            })),
        ],
        _ if rejected || planned => {
            let results = edits.iter().map(|(_, result)| *result);
            vec![ModelEvent::Text(answer::renamed([from, to, path], matches, results))]
        }
        _ => vec![plan(&steps, steps.len())],
    }
}

fn word(from: &str, to: &str) -> Replacement {
    Replacement { old: from.to_owned(), new: to.to_owned(), every: true, word: true }
}

fn run(command: &str, done: &Done<'_>) -> Vec<ModelEvent> {
    match done.first() {
        None => vec![
            thought(format!("I run {}.", code(command))),
            ModelEvent::Use(Action::Execute(Execute {
                command: command.to_owned(),
                ..Execute::default()
            })),
        ],
        Some((_, result)) => vec![ModelEvent::Text(match &result.finding {
            Finding::Ran(ran) => answer::ran(command, ran),
            _ => answer::failure(result),
        })],
    }
}

/// How many files were found beyond those that one rename changes.
pub(super) fn left(matches: &Matches) -> u64 {
    matches.holding.saturating_sub(FILES_RENAMED as u64)
}
