//! Plays one case against a newly started peer.

use super::case::{Case, Said, Step};
use super::value::{CWD, SESSION};
use super::{Broken, Fuzz};
use crate::agent::services;
use crate::client::run::ClientRunError;
use crate::client::scenario::Scenario;
use crate::client::started_client::StartedClient;
use crate::json::json;
use crate::peer::line::Line;
use crate::peer::link::Link;
use crate::peer::raw_peer::{RawPeer, STARTING, WaitError};
use crate::peer::script::{Answer, Script};
use crate::{ClientTask, Finding, Strength};
use attache_host::Exit;
use attache_protocol::method::{Initialize, METHODS, Method, SessionNew, SessionPrompt, Side};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::time::Duration;

/// The delay between the writes of one line.
const PAUSE: Duration = Duration::from_millis(2);
/// How much memory a peer may use after a case, in bytes.
const MEMORY: u64 = 1024 * 1024 * 1024;
/// The method of a call that tests whether a peer still reads and answers.
const STILL_THERE: &str = "_attache/still_there";

/// The result of a case.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) broken: Option<Broken>,
    pub(super) said: Vec<Said>,
}

/// A peer while a case is played.
struct Playing {
    peer: RawPeer,
    /// The steps so far, each with the number of lines before it. They are kept here because `peer`
    /// keeps only lines.
    steps: Vec<(usize, Step)>,
    /// The bytes of an incomplete line.
    begun: Vec<u8>,
    /// The indices of the lines in `peer` that consist of the bytes of steps.
    taken: HashSet<usize>,
    session: String,
    cwd: String,
    patience: Duration,
}

impl Fuzz {
    /// Plays a case against a new peer.
    pub(super) async fn play(&mut self, case: &Case) -> Result<Played, ClientRunError> {
        match self.judged() {
            Side::Agent => self.play_agent(case).await,
            Side::Client => self.play_client(case).await,
        }
    }

    async fn play_agent(&mut self, case: &Case) -> Result<Played, ClientRunError> {
        let link = self.start_agent()?;
        let script = answering(services::script(&self.folder), case, &self.folder, "");
        let mut playing = Playing::new(RawPeer::new(link, script), self.patience, &self.folder);
        playing.send_all(case).await;
        let mut broken = playing.is_alive(case.closes).await;
        if broken.is_none() {
            playing.peer.close();
            if !playing.peer.wait_for_end(playing.patience).await {
                broken = Some(Broken::Hangs("it does not end when its input ends".to_owned()));
            }
        }
        let panicked = playing.peer.exit().filter(is_crash);
        broken = broken.or(panicked.map(|exit| Broken::Dies(format!("the agent ended ({exit})"))));
        playing.peer.stop().await;
        Ok(playing.played(broken))
    }

    async fn play_client(&mut self, case: &Case) -> Result<Played, ClientRunError> {
        let task = ClientTask::new("prompt", &self.folder).with("prompt", "attache check asks");
        let mut client = self.start_client(&task)?;
        let Some(link) = client.next(self.patience * STARTING).await else {
            return Err(ClientRunError::NoPrompt("it does not start its agent".to_owned()));
        };
        let script = answering(
            Scenario::everything(&self.folder).script(ProtocolVersion::V1),
            case,
            &self.folder,
            crate::client::scenario::SESSION,
        );
        let mut playing =
            Playing::new(RawPeer::as_agent(link, script), self.patience, &self.folder);
        let prompt = playing
            .peer
            .wait_for(0, self.patience * STARTING, |line| line.asks::<SessionPrompt>())
            .await;
        let Ok(prompt) = prompt else {
            // The client may have sent no prompt because of the answers to its earlier calls.
            let broken = how_it_left(&mut client, self.patience).await;
            return Ok(playing.played(broken));
        };
        let session =
            prompt.get("params").and_then(|params| params.get("sessionId")).and_then(Value::as_str);
        playing.session = session.unwrap_or_default().to_owned();
        playing.send_all(case).await;
        let mut broken = playing.is_alive(case.closes).await;
        if broken.is_none() && !case.closes {
            let id = prompt.get("id").cloned().unwrap_or_default();
            playing
                .peer
                .send(&json!({"jsonrpc": "2.0", "id": id, "result": {"stopReason": "end_turn"}}));
            let _ended = playing.peer.wait_for_end(playing.patience).await;
        }
        playing.peer.stop().await;
        let left = how_it_left(&mut client, self.patience).await;
        broken = broken.or(left);
        Ok(playing.played(broken))
    }
}

/// Returns the failure of a client that does not end by itself, or panics, after its agent or its
/// turn has ended.
async fn how_it_left(client: &mut StartedClient, patience: Duration) -> Option<Broken> {
    let left = client.ended(patience).await;
    match left.exit {
        _ if !left.by_itself => {
            Some(Broken::Hangs("it does not end when its agent ends".to_owned()))
        }
        Some(exit) if is_crash(&exit) => Some(Broken::Dies(format!("the client ended ({exit})"))),
        _ => None,
    }
}

/// Whether a program crashed.
fn is_crash(exit: &Exit) -> bool {
    exit.code.is_none_or(|code| code == PANIC)
}

/// The exit code of a Rust program that panicked.
const PANIC: i32 = 101;

impl Playing {
    fn new(peer: RawPeer, patience: Duration, folder: &Path) -> Self {
        let (session, cwd) = (String::new(), folder.to_string_lossy().into_owned());
        Self {
            peer,
            steps: Vec::new(),
            begun: Vec::new(),
            taken: HashSet::new(),
            session,
            cwd,
            patience,
        }
    }

    async fn send_all(&mut self, case: &Case) {
        for step in &case.steps {
            if self.peer.ended().is_some() {
                return;
            }
            self.say(step).await;
        }
        if case.closes {
            self.peer.close();
        }
    }

    async fn say(&mut self, step: &Step) {
        if !step.delay.is_zero() {
            self.pause(step.delay).await;
        }
        let mut step = step.clone();
        step.text = self.named(&step.text);
        let first = self.peer.lines().len();
        self.steps.push((first, step.clone()));
        let mut from = 0;
        for cut in step.cuts.iter().copied().filter(|cut| *cut <= step.text.len()) {
            self.peer.send_bytes(step.text.get(from..cut).unwrap_or_default());
            from = cut.max(from);
            self.pause(PAUSE).await;
        }
        self.peer.send_bytes(step.text.get(from..).unwrap_or_default());
        self.peer.send_bytes(&vec![b' '; step.pad]);
        let is_whole = self.begun.is_empty() && !step.is_unended;
        self.begun.extend_from_slice(&step.text);
        if !step.is_unended {
            self.end_line();
        }
        if is_whole {
            self.wait_for_session(first, &step).await;
        }
    }

    fn end_line(&mut self) {
        self.peer.send_bytes(b"\n");
        let line = std::mem::take(&mut self.begun);
        self.taken.insert(self.peer.lines().len());
        self.peer.note(&line);
    }

    /// Waits for the replies to the calls that open a session, so that its id is known.
    async fn wait_for_session(&mut self, first: usize, step: &Step) {
        let Some(message) = step.value() else { return };
        let is_first = self.session.is_empty() && self.peer.judged() == Side::Agent;
        let id = message.get("id").filter(|id| id.is_i64() || id.is_string());
        let (Some(id), Some(method), true) =
            (id, message.get("method").and_then(Value::as_str), is_first)
        else {
            return;
        };
        if ![Initialize::ROW.name, SessionNew::ROW.name].contains(&method) {
            return;
        }
        let refuses = |line: &Line| line.is_theirs && line.get("error").is_some();
        let wanted = |line: &Line| line.replies_to(id) || refuses(line);
        let reply = self.peer.wait_for(first, self.patience * STARTING, wanted).await;
        if let Ok(reply) = reply
            && method == SessionNew::ROW.name
            && let Some(session) =
                reply.value.as_ref().and_then(|reply| reply.pointer("/result/sessionId")?.as_str())
        {
            self.session = session.to_owned();
        }
    }

    /// Returns the text with its placeholders replaced by the session and the folder.
    fn named(&self, text: &[u8]) -> Vec<u8> {
        match std::str::from_utf8(text) {
            Ok(text) => text.replace(SESSION, &self.session).replace(CWD, &self.cwd).into_bytes(),
            Err(_) => text.to_owned(),
        }
    }

    async fn pause(&mut self, pause: Duration) {
        let next = self.peer.lines().len();
        // `wait_for` continues to read and write during the pause.
        let _nothing = self.peer.wait_for(next, pause, |_| false).await;
    }

    /// Returns the failure of a peer that no longer answers, does not end with its input, uses too
    /// much memory or has broken a rule.
    async fn is_alive(&mut self, closes: bool) -> Option<Broken> {
        let what = if closes {
            (!self.peer.wait_for_end(self.patience).await)
                .then(|| Broken::Hangs("it does not end when its input ends".to_owned()))
        } else {
            if !self.begun.is_empty() {
                self.end_line();
            }
            let (first, id) = (self.peer.lines().len(), json!("attache still there"));
            self.peer
                .send(&json!({"jsonrpc": "2.0", "id": id, "method": STILL_THERE, "params": {}}));
            let answers = |line: &Line| line.replies_to(&id);
            match self.peer.wait_for(first, self.patience, answers).await {
                Ok(_) => None,
                Err(WaitError::Ended(how)) if self.peer.was_stopped_by_judge() => {
                    Some(Broken::Grows(how))
                }
                Err(WaitError::Ended(how)) => Some(Broken::Dies(how)),
                Err(WaitError::TimedOut(after)) => Some(Broken::Hangs(format!(
                    "it does not answer a call within {} s",
                    after.as_secs_f64()
                ))),
            }
        };
        let memory = self.peer.memory().filter(|memory| *memory > MEMORY);
        let grown =
            memory.map(|memory| Broken::Grows(format!("it has {} MiB of memory", memory >> 20)));
        what.or(grown).or_else(|| self.breaks())
    }

    /// Returns the first rule that a single line of the peer breaks, whatever the peer received.
    fn breaks(&self) -> Option<Broken> {
        let line_of = |finding: &Finding| self.peer.lines().get(finding.line.saturating_sub(1));
        let found = self.peer.findings().iter().find(|finding| {
            let line = line_of(finding);
            let is_asked = line.is_some_and(|line| line.get("method").is_some());
            let is_odd = line
                .and_then(|line| line.get("id"))
                .is_some_and(|id| id.is_number() && !id.is_i64());
            NO_MESSAGE.contains(&finding.rule.id) && !is_odd
                || finding.rule.strength == Strength::Must
                    && finding.earlier.is_none()
                    && is_asked
                    && BY_ITSELF.contains(&finding.rule.id)
        })?;
        let line = line_of(found).map(|line| line.text.chars().take(200).collect::<String>());
        Some(Broken::Breaks(found.rule, format!("{}: {}", found.seen, line.unwrap_or_default())))
    }

    fn played(self, broken: Option<Broken>) -> Played {
        let mut steps = VecDeque::from(self.steps);
        let mut said = Vec::new();
        for (at, line) in self.peer.lines().iter().enumerate() {
            while let Some((_, step)) = steps.pop_front_if(|(before, _)| *before <= at) {
                said.push(Said::Step(step));
            }
            if !self.taken.contains(&at) {
                said.push(Said::Line(Line { value: None, ..line.clone() }));
            }
        }
        said.extend(steps.into_iter().map(|(_, step)| Said::Step(step)));
        Played { broken, said }
    }
}

/// Rules about lines that are not messages. The id of a reply does not count, because it may repeat
/// a corrupted id (RPC-12).
const NO_MESSAGE: [&str; 4] = ["RPC-01", "RPC-03", "RPC-04", "RPC-14"];
/// Rules that a single call or notification can break. Replies do not count, because their ids may
/// repeat corrupted ids. Rules about capabilities do not count, because the corruption may have
/// removed the capabilities.
const BY_ITSELF: [&str; 8] =
    ["RPC-12", "RPC-30", "EXT-01", "META-03", "DEC-20", "USE-02", "CONF-05", "CONF-06"];

/// Combines the answers of the case with those of the script. The case takes precedence.
fn answering(mut script: Script, case: &Case, folder: &Path, session: &str) -> Script {
    let mut queues: HashMap<&'static str, VecDeque<Answer>> = HashMap::new();
    for (method, answer) in &case.answers {
        if let Some(row) = METHODS.iter().find(|row| row.name == method) {
            queues.entry(row.name).or_default().push_back(named_answer(answer, folder, session));
        }
    }
    for (method, mut queue) in queues {
        script = script.first(method, move || queue.pop_front());
    }
    script
}

fn named_answer(answer: &Answer, folder: &Path, session: &str) -> Answer {
    match answer {
        Answer::Result(result) => {
            let text = result
                .to_string()
                .replace(SESSION, session)
                .replace(CWD, &folder.to_string_lossy());
            Answer::Result(serde_json::from_str(&text).unwrap_or_default())
        }
        other => other.clone(),
    }
}

impl Fuzz {
    fn start_agent(&mut self) -> Result<Link, ClientRunError> {
        match &mut self.peer {
            super::PeerStarter::Agent(start) => start().map_err(ClientRunError::Start),
            super::PeerStarter::Client(_) => Err(ClientRunError::NoCommand),
        }
    }

    fn start_client(&mut self, task: &ClientTask) -> Result<StartedClient, ClientRunError> {
        match &mut self.peer {
            super::PeerStarter::Client(start) => start(task),
            super::PeerStarter::Agent(_) => Err(ClientRunError::NoCommand),
        }
    }
}
