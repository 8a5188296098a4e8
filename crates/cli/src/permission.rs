//! Permission decisions: by remembered rules, by flags, or by the person at the terminal. Every
//! decision is shown.

mod effect;
mod remember;
pub(crate) mod rules;
mod verdict;

pub(crate) use verdict::{By, Verdict};

use crate::key;
use crate::show::paint::{BOLD, CYAN, Paint, YELLOW};
use crate::show::tool_call::{self, Bound};
use crate::show::width;
use attache_client::{Decision, PermissionRequest, Permissions};
use attache_protocol::UnknownVariant;
use attache_protocol::v1::{ContentBlock, PermissionOption, PermissionOptionKind, ToolKind};
use attache_session::ToolCallContent;
use attache_view::sanitize;
use rules::Rules;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tokio::sync::{mpsc, oneshot};
use verdict::kind_word;

/// The capacity of the queue of questions. While the queue is full, the agent waits.
const QUESTIONS: usize = 16;

/// A question from the agent, and the sender for its answer. The sender's channel closes if the
/// question is withdrawn.
pub(crate) struct Question {
    pub(crate) request: PermissionRequest,
    pub(crate) answer: oneshot::Sender<Decision>,
}

/// Returns permissions that send every question to the receiver, except that a question about a
/// read is sent only if a rule rejects the read. If the receiver was dropped, everything is
/// rejected. Once `known` is set, its rules replace `first`.
pub(crate) fn questions(
    first: Option<Rules>,
    known: Arc<OnceLock<Rules>>,
) -> (Permissions, mpsc::Receiver<Question>) {
    let (sender, receiver) = mpsc::channel(QUESTIONS);
    // Actions that an earlier answer covers are sent too, so that the policy decides and the
    // decision is shown.
    let permissions = Permissions::Ask(Arc::new(move |request| {
        let sender = sender.clone();
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            if sender.send(Question { request, answer }).await.is_err() {
                return Decision::Reject;
            }
            answered.await.unwrap_or(Decision::Reject)
        })
    }));
    let rejects = Arc::new(move |request: &PermissionRequest| {
        let rules = known.get().or(first.as_ref());
        rules.is_some_and(|rules| rules.broker.rejects(request, &rules.agent, &rules.cwd))
    });
    (Permissions::ByRules { rejects, rest: Box::new(permissions) }, receiver)
}

/// Decides by the person's rules first, then by the flags.
#[derive(Debug, Clone, Default)]
pub(crate) struct Policy {
    /// The remembered rules of this client.
    pub(crate) rules: Option<Rules>,
    /// Whether everything is allowed.
    pub(crate) yes: bool,
    /// The kinds that are allowed.
    pub(crate) kinds: Vec<ToolKind>,
    /// Whether the person can be asked about other actions.
    pub(crate) ask: bool,
    /// Whether this is `attache demo`, which answers by itself.
    pub(crate) tour: bool,
}

impl Policy {
    /// Returns the verdict if no question is needed; `None` if the person must be asked.
    pub(crate) fn verdict(&self, request: &PermissionRequest) -> Option<Verdict> {
        if let Some(verdict) = self.rules.as_ref().and_then(|rules| rules.verdict(request)) {
            return Some(verdict);
        }
        // The action is refused if the agent offers no option that allows it.
        let is_offered = Decision::Allow.allows(&request.options);
        let allowed =
            |by| Some(Verdict { decision: Some(Decision::Allow), allowed: is_offered, by });
        // `--allow` does not cover calls without a kind.
        match request.kind() {
            _ if self.tour => allowed(By::Tour),
            _ if request.covered => allowed(By::Person),
            // Flags do not cover protected files: the person sees each change to them.
            _ if request.needs_person() && self.ask => None,
            _ if request.needs_person() => Some(Verdict::no_person()),
            _ if self.yes => allowed(By::Yes),
            Some(kind) if self.kinds.contains(kind) => allowed(By::Allow),
            _ if self.ask => None,
            _ => Some(Verdict::no_person()),
        }
    }

    /// Writes the decision to the log.
    pub(crate) fn record(&self, request: &PermissionRequest, verdict: &Verdict) {
        if let Some(rules) = &self.rules {
            rules.record(request, verdict);
        }
    }
}

/// Prints the question to stderr, which is a terminal.
pub(crate) fn ask(
    request: &PermissionRequest,
    cwd: &Path,
    rules: Option<&Rules>,
) -> std::io::Result<()> {
    let mut out = std::io::stderr().lock();
    let paint = Paint::of(&out);
    let columns = crate::terminal::columns().unwrap_or(80);
    let mut lines = question(request, cwd, paint, columns);
    if rules.is_some_and(|rules| remember::is_possible(request, rules)) {
        lines.push(format!(
            "  [{}] Remember an answer as a rule …",
            paint.paint(BOLD, remember::KEY)
        ));
    }
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Returns the lines of a question: the complete call with its diffs and input, then the options.
fn question(request: &PermissionRequest, cwd: &Path, paint: Paint, columns: usize) -> Vec<String> {
    let title = match &request.command {
        // The command follows unchanged, with its line feeds.
        Some(_) => String::new(),
        None => sanitize::visible_line(request.title()),
    };
    let kind = paint.paint(CYAN, kind_word(request));
    let mut lines =
        vec![format!("{} the agent asks for permission: {kind}", paint.paint(YELLOW, "?"))];
    // Nothing is cut, because the person would approve the omitted text unseen.
    let title = Some(title).filter(|title| !title.is_empty());
    let title = title.into_iter().flat_map(|title| width::wrap(&title, columns.saturating_sub(2)));
    lines.extend(title.map(|line| format!("  {}", paint.paint(BOLD, line))));
    let stated = stated(request);
    let wrapped = stated.iter().flat_map(|text| width::wrap(text, columns.saturating_sub(2)));
    lines.extend(wrapped.map(|line| format!("  {line}")));
    let effect = effect::parts(request, cwd, effect::Extent::Question);
    lines.extend(
        effect::lines(&effect, columns, "  ").into_iter().map(|line| paint.paint(BOLD, line)),
    );
    for content in request.shown_content() {
        match content {
            ToolCallContent::Diff(diff) => {
                lines.extend(tool_call::change(diff, cwd, paint, Bound::Whole))
            }
            ToolCallContent::Changes(diff) => {
                lines.extend(tool_call::changes(diff, cwd, paint, Bound::Whole));
            }
            ToolCallContent::Content(content) => match &content.content {
                ContentBlock::Unknown(content) => lines.extend(unknown(content, columns)),
                content => {
                    let text = tool_call::block(content);
                    lines.extend(text.lines().map(|line| format!("    {line}")));
                }
            },
            ToolCallContent::Terminal(terminal) => {
                let text = terminal_line(request, terminal.terminal_id.as_str());
                lines.extend(effect::lines(&[text], columns, "    "));
            }
            ToolCallContent::Unknown(content) => lines.extend(unknown(content, columns)),
            _ => lines.push("    content that this program cannot show".to_owned()),
        }
    }
    let keys = keys(&request.options);
    lines.extend(keys.iter().map(|(key, option)| {
        format!("  [{}] {}", paint.paint(BOLD, key), sanitize::visible_line(&option.name))
    }));
    lines
}

/// Returns the id of a terminal, and its command and folder if the agent has sent them.
fn terminal_line(request: &PermissionRequest, id: &str) -> String {
    let known = request.terminals.iter().find(|terminal| terminal.terminal_id.as_str() == id);
    let part = |before: &str, text: Option<&String>| {
        text.map_or(String::new(), |text| format!("{before}{}", effect::visible(text)))
    };
    let command = part(": $ ", known.and_then(|terminal| terminal.command.as_ref()));
    let folder = part("\nin ", known.and_then(|terminal| terminal.cwd.as_ref()));
    format!("terminal {}{command}{folder}", effect::visible(id))
}

/// Returns content that this program does not know, as JSON.
fn unknown(content: &UnknownVariant, columns: usize) -> Vec<String> {
    let json = effect::visible(content.raw.get());
    let text = format!("content that this program does not know: {json}");
    effect::lines(&[text], columns, "    ")
}

/// Returns what an agent of version 2 states besides its question: a description, the title of the
/// tool call, and a subject that this program does not know, as JSON.
fn stated(request: &PermissionRequest) -> Vec<String> {
    let Some(question) = &request.question else { return Vec::new() };
    let known = request.tool_call.as_ref().map(|call| call.title.as_str());
    let title = known.or(request.asked.title.set().map(String::as_str));
    let title = title.filter(|title| !title.is_empty() && title != question);
    let subject = request.unknown_subject.as_ref().map(|subject| {
        format!(
            "about something that this program does not know: {}",
            effect::visible(subject.get())
        )
    });
    let description = request.description.iter().flat_map(|text| text.lines());
    let description = description.map(sanitize::visible_line);
    description.chain(title.map(sanitize::visible_line)).chain(subject).collect()
}

/// Assigns a key to each option: `y` and `a` allow once and always, `n` and `d` reject once and
/// always. Further options of a kind get digits.
fn keys(options: &[PermissionOption]) -> Vec<(char, &PermissionOption)> {
    let mut keys: Vec<(char, &PermissionOption)> = Vec::new();
    let mut digits = '1'..='9';
    for option in options {
        let letter = match option.kind {
            PermissionOptionKind::AllowOnce => Some('y'),
            PermissionOptionKind::AllowAlways => Some('a'),
            PermissionOptionKind::RejectOnce => Some('n'),
            PermissionOptionKind::RejectAlways => Some('d'),
            PermissionOptionKind::Unknown(_) => None,
        };
        let free = letter.filter(|letter| keys.iter().all(|(key, _)| key != letter));
        keys.extend(free.or_else(|| digits.next()).map(|key| (key, option)));
    }
    keys
}

/// Waits for the person's answer.
///
/// # Errors
/// Returns an error if the terminal cannot be read.
pub(crate) async fn answer(
    request: &PermissionRequest,
    rules: Option<&Rules>,
) -> std::io::Result<Verdict> {
    let options = keys(&request.options);
    let rejected = Verdict { decision: Some(Decision::Reject), allowed: false, by: By::Person };
    if options.is_empty() {
        // Without options, the client reports the question as cancelled (PERM-13).
        return Ok(rejected);
    }
    let rules = rules.filter(|rules| remember::is_possible(request, rules));
    let keys: Vec<char> =
        options.iter().map(|(key, _)| *key).chain(rules.map(|_| remember::KEY)).collect();
    loop {
        let key = pressed(&keys, "allow?").await?;
        if let (Some(rules), remember::KEY) = (rules, key) {
            match remember::choose(request, rules).await? {
                Some(verdict) => return Ok(verdict),
                None => {
                    let _ = writeln!(std::io::stderr());
                    continue;
                }
            }
        }
        let Some((_, option)) = options.into_iter().find(|(each, _)| *each == key) else {
            return Ok(rejected);
        };
        let decision = Decision::Choose(option.option_id.clone());
        let allowed = decision.allows(&request.options);
        return Ok(Verdict { decision: Some(decision), allowed, by: By::Person });
    }
}

/// Shows a one-word question and waits for one of these keys. The cursor stays on the line.
async fn pressed(keys: &[char], question: &str) -> std::io::Result<char> {
    let accepted = keys.iter().filter_map(|key| u8::try_from(*key).ok()).collect();
    let shown: Vec<String> = keys.iter().map(char::to_string).collect();
    let key =
        char::from(key::pressed(accepted, format!("{question} [{}] ", shown.join("/"))).await?);
    // The terminal does not echo single keys.
    let _ = write!(std::io::stderr(), "{key}");
    Ok(key)
}
