//! `/checkpoints`, `/rewind` and `/undo`.

use super::Chat;
use crate::checkpoints::{list, plan};
use crate::key;
use crate::say::{println, say};
use crate::show::paint::{DIM, Paint, RED};
use crate::terminal;
use attache_checkpoint::{Goal, KeptReason, Plan, Reason, RestoreControl, RestoreRequest, Summary};
use attache_client::HubSession;
use attache_view::{NoticeLevel, file_count, restore_notices, restored_path, sanitize};
use std::future::Future;
use std::io;

/// What `/rewind` takes back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Files,
    Conversation,
    Both,
}

impl Chat {
    /// Lists the checkpoints of the session.
    pub(super) async fn checkpoints(&self) {
        match self.follow.session.checkpoints().await {
            Err(error) => say(RED, &error.to_string()),
            Ok(taken) if taken.is_empty() => say(DIM, "There are no checkpoints yet."),
            Ok(mut taken) => {
                taken.reverse();
                let paint = Paint::of(&io::stdout());
                list::table(&taken, terminal::columns(), paint).iter().for_each(|it| println(it));
                say(DIM, "`attache checkpoints show ID` shows one; /rewind goes back to a prompt.");
            }
        }
    }

    /// Lists the prompts, or takes files, the conversation or both back to before one.
    pub(super) async fn rewind(&mut self, wanted: &str) {
        let taken = match self.follow.session.checkpoints().await {
            Ok(taken) => taken,
            Err(error) => return say(RED, &error.to_string()),
        };
        let prompts: Vec<&Summary> =
            taken.iter().filter(|it| it.label.reason == Reason::BeforePrompt).collect();
        let mut words = wanted.split_whitespace();
        let Some(number) = words.next() else { return show_prompts(&taken, &prompts) };
        let part = match words.next() {
            None | Some("files") => Part::Files,
            Some("conversation") => Part::Conversation,
            Some("both") => Part::Both,
            Some(_) => return say(RED, "Write files, conversation or both after the number."),
        };
        let number = number.parse().ok();
        let before = prompts.iter().rev().find(|it| it.label.turn == number && number.is_some());
        let Some(before) = before else {
            return say(RED, "There is no such prompt: /rewind lists the prompts.");
        };
        if part != Part::Conversation && !self.restore(Goal::Since(before.id)).await {
            return;
        }
        if let (Part::Conversation | Part::Both, Some(position)) = (part, before.label.position) {
            match self.follow.session.rewind_conversation(position).await {
                Ok(rewound) => self.open(Ok(rewound.session)),
                Err(error) => say(RED, &error.to_string()),
            }
        }
    }

    /// Shows what a restore would do, asks, and restores. Answers about protected files change what
    /// it would do, which is then shown again. Returns whether the files are restored, or already
    /// were as wanted.
    async fn restore(&mut self, goal: Goal) -> bool {
        let session = self.follow.session.clone();
        let request = RestoreRequest::new(session.checkpoint_owner(), goal);
        let Some(mut planned) = self.unless_stopped(session.preview_request(request)).await else {
            return false;
        };
        let paint = Paint::of(&io::stdout());
        let show = |plan: &Plan| plan::lines(plan, paint).iter().for_each(|line| println(line));
        if let Ok(plan) = &planned {
            show(plan);
            let mut request = plan.request.clone();
            for file in plan.kept().filter(|file| file.kept == Some(KeptReason::Protected)) {
                let question =
                    format!("{} is protected; restore it too?", restored_path(plan, file));
                if self.is_agreed(&question).await {
                    request.choices.protected.insert(file.path.clone());
                }
            }
            if !request.choices.protected.is_empty() {
                planned = match self.unless_stopped(session.preview_request(request)).await {
                    Some(planned) => planned.inspect(show),
                    None => return false,
                };
            }
        }
        match planned {
            Err(error) => {
                say(RED, &error.to_string());
                false
            }
            Ok(plan) if plan.restored().next().is_none() => true,
            Ok(plan) => {
                self.is_agreed("restore these files?").await && self.restored(&session, plan).await
            }
        }
    }

    /// Restores files, until Ctrl-C stops it between two files. Returns whether all are restored.
    async fn restored(&mut self, session: &HubSession, plan: Plan) -> bool {
        let control = RestoreControl::default();
        let restoring = session.restore(plan, &control);
        match self.stopping(&control, restoring).await {
            Ok(restored) => {
                let done = format!("restored {}", file_count(restored.done.len()));
                for (level, text) in restore_notices(&done, &restored) {
                    let style = if level == NoticeLevel::Info { DIM } else { RED };
                    say(style, &text);
                }
                !restored.is_interrupted && !restored.is_stopped()
            }
            Err(error) => {
                say(RED, &error.to_string());
                false
            }
        }
    }

    /// Waits for `work`, which Ctrl-C stops by its control.
    async fn stopping<T>(&mut self, control: &RestoreControl, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                _ = self.follow.interrupt.recv() => control.stop(),
            }
        }
    }

    /// Waits for `work`; `None` if the person stops it by Ctrl-C, which drops it.
    async fn unless_stopped<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = work => Some(done),
            _ = self.follow.interrupt.recv() => {
                say(DIM, "stopped: nothing was restored");
                None
            }
        }
    }

    /// Asks a question that one key answers.
    async fn is_agreed(&mut self, question: &str) -> bool {
        self.follow.type_ahead.stop();
        let pressed = key::pressed(b"yn\x1b".to_vec(), format!("{question} [y/n] ")).await;
        self.follow.type_ahead.start();
        let is_agreed = matches!(pressed, Ok(b'y'));
        println(if is_agreed { "yes" } else { "no" });
        is_agreed
    }

    /// Reverts the files of the last turn.
    pub(super) async fn undo(&mut self, wanted: &str) {
        let (session, control) = (self.follow.session.clone(), RestoreControl::default());
        let undoing = session.undo_turn(wanted == "force", &control);
        match self.stopping(&control, undoing).await {
            Ok(undone) => println(&sanitize::text(undone.to_string().trim_end())),
            Err(error) => say(RED, &error.to_string()),
        }
    }
}

/// Lists the prompts, each with the number of files that its turn changed.
fn show_prompts(taken: &[Summary], prompts: &[&Summary]) {
    if prompts.is_empty() {
        return say(DIM, "No prompt has a checkpoint yet.");
    }
    for before in prompts {
        let label = &before.label;
        let after = taken
            .iter()
            .find(|it| it.label.turn == label.turn && it.label.reason == Reason::AfterTurn);
        let changed = after.map_or(0, |it| it.changed);
        let number = label.turn.unwrap_or_default();
        let files = file_count(changed as usize);
        let title = sanitize::line(&label.title);
        println(&format!("  {number:>3}  {files:<9}  {title}"));
    }
    say(DIM, "/rewind NUMBER [files|conversation|both] goes back to before that prompt.");
}
