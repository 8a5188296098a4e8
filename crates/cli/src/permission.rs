//! Who decides what may run: the person's remembered rules, the flags, or the person at the
//! terminal. Nothing is ever approved silently.

mod effect;
mod remember;
pub(crate) mod rules;

use crate::key;
use crate::show::paint::{BOLD, CYAN, GREEN, Paint, RED, YELLOW};
use crate::show::tool_call::{self, Bound};
use crate::show::{sanitize, width};
use attache_client::{Decision, PermissionRequest, Permissions, Rule};
use attache_protocol::v1::{PermissionOption, PermissionOptionKind, ToolCallContent, ToolKind};
use rules::Rules;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tokio::sync::{mpsc, oneshot};

/// How many questions may wait to be taken by the run; the agent waits beyond that.
const QUESTIONS: usize = 16;

/// A question of the agent and where its answer goes. The sender learns when the question is
/// withdrawn.
pub(crate) struct Question {
    pub(crate) request: PermissionRequest,
    pub(crate) answer: oneshot::Sender<Decision>,
}

/// A policy for a session that sends every question to whoever holds the other end, and a read only
/// if one of the rules rejects it. Without that end everything is rejected. The rules of the
/// session take the place of `first` once they are known.
pub(crate) fn questions(
    first: Option<Rules>,
    known: Arc<OnceLock<Rules>>,
) -> (Permissions, mpsc::Receiver<Question>) {
    let (sender, receiver) = mpsc::channel(QUESTIONS);
    // Also what an earlier answer covers: the policy decides that, and the person sees it.
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

/// What the person's rules and the flags say, in this order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Policy {
    /// What this client remembers.
    pub(crate) rules: Option<Rules>,
    /// Everything is allowed.
    pub(crate) yes: bool,
    /// These kinds are allowed.
    pub(crate) kinds: Vec<ToolKind>,
    /// Whether the person can be asked about the rest.
    pub(crate) ask: bool,
    /// The tour of `attache demo` answers.
    pub(crate) tour: bool,
}

impl Policy {
    /// The verdict without asking anybody; `None` if the person is to be asked.
    pub(crate) fn verdict(&self, request: &PermissionRequest) -> Option<Verdict> {
        if let Some(verdict) = self.rules.as_ref().and_then(|rules| rules.verdict(request)) {
            return Some(verdict);
        }
        // An agent that offers nothing which allows is refused.
        let is_offered = Decision::Allow.allows(&request.options);
        let allowed =
            |by| Some(Verdict { decision: Some(Decision::Allow), allowed: is_offered, by });
        // A call whose kind the agent never told is of no kind, so no `--allow` covers it.
        match request.kind() {
            _ if self.tour => allowed(By::Tour),
            _ if request.covered => allowed(By::Person),
            // No flag covers a protected file: the person sees each change of it.
            _ if request.protected.is_some() && self.ask => None,
            _ if request.protected.is_some() => Some(Verdict::nobody()),
            _ if self.yes => allowed(By::Yes),
            Some(kind) if self.kinds.contains(kind) => allowed(By::Allow),
            _ if self.ask => None,
            _ => Some(Verdict::nobody()),
        }
    }

    /// Keeps in the log what was decided.
    pub(crate) fn record(&self, request: &PermissionRequest, verdict: &Verdict) {
        if let Some(rules) = &self.rules {
            rules.record(request, verdict);
        }
    }
}

/// What was decided about a question, and by whom.
pub(crate) struct Verdict {
    /// What the agent is told; `None` if the question was withdrawn first.
    pub(crate) decision: Option<Decision>,
    pub(crate) allowed: bool,
    pub(crate) by: By,
}

/// Who decided.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum By {
    /// A rule that this client remembers.
    Rule(Box<Rule>),
    /// `--yes`.
    Yes,
    /// `--allow KIND`.
    Allow,
    /// The person at the terminal.
    Person,
    /// There was nobody to ask.
    Nobody,
    /// `attache demo`.
    Tour,
    /// The turn ended before there was an answer.
    Withdrawn,
}

impl By {
    /// The rule that decided, if one did.
    pub(crate) fn rule(&self) -> Option<&Rule> {
        match self {
            Self::Rule(rule) => Some(rule),
            _ => None,
        }
    }

    /// For programs; see JSON.md.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Rule(_) => "rule",
            Self::Yes => "yes",
            Self::Allow => "allow",
            Self::Person => "person",
            Self::Nobody => "nobody",
            Self::Tour => "tour",
            Self::Withdrawn => "withdrawn",
        }
    }
}

impl Verdict {
    fn nobody() -> Self {
        Self { decision: Some(Decision::Reject), allowed: false, by: By::Nobody }
    }

    pub(crate) fn withdrawn() -> Self {
        Self { decision: None, allowed: false, by: By::Withdrawn }
    }

    /// Whether the action is refused; one that is no longer asked about is not.
    pub(crate) fn refuses(&self) -> bool {
        !self.allowed && self.by != By::Withdrawn
    }

    /// For programs; see JSON.md.
    pub(crate) fn word(&self) -> &'static str {
        match (&self.by, self.allowed) {
            (By::Withdrawn, _) => "withdrawn",
            (_, true) => "allowed",
            (_, false) => "rejected",
        }
    }

    pub(crate) fn mark(&self, paint: Paint) -> String {
        if self.allowed { paint.paint(GREEN, "✓") } else { paint.paint(RED, "✗") }
    }

    /// What was decided, in one line.
    fn sentence(&self, request: &PermissionRequest) -> String {
        let title = sanitize::visible_line(request.title());
        match &self.by {
            By::Rule(rule) => {
                let line = sanitize::visible(&rule.to_line()).into_owned();
                let whose = if rules::is_of_project(rule) { "this project's" } else { "your" };
                format!("{} by {whose} rule {}: {title}", self.word(), sanitize::line(&line))
            }
            By::Yes | By::Allow | By::Tour if !self.allowed => {
                format!("refused, because the agent offers no answer that allows it: {title}")
            }
            By::Yes => format!("allowed by --yes: {title}"),
            By::Allow => format!("allowed by --allow {}: {title}", kind_word(request)),
            By::Person if self.allowed => format!("allowed by you: {title}"),
            By::Person => format!("rejected by you: {title}"),
            By::Nobody => {
                format!(
                    "refused, because no rule or flag allows it and no person can be asked: {title}"
                )
            }
            By::Tour => format!("allowed by this tour, since it works on a copy: {title}"),
            By::Withdrawn => format!("no longer asked: {title}"),
        }
    }

    /// What was decided and what it is about, in lines of at most `columns`; in one line, except
    /// for the line feeds of a command, if the width does not matter.
    pub(crate) fn lines(
        &self,
        request: &PermissionRequest,
        cwd: &Path,
        columns: Option<usize>,
    ) -> Vec<String> {
        let parts = effect::parts(request, cwd, effect::Extent::Decision);
        let whole: Vec<String> = std::iter::once(self.sentence(request)).chain(parts).collect();
        let whole = whole.join("  ");
        let columns = columns.unwrap_or(usize::MAX);
        let folded = width::fold(&whole, columns.saturating_sub(6)).into_iter().enumerate();
        folded.map(|(index, line)| if index == 0 { line } else { format!("    {line}") }).collect()
    }

    /// How to allow it the next time, if that is what the person wants to know.
    pub(crate) fn advice(&self, request: &PermissionRequest) -> Option<String> {
        if self.by == By::Nobody && request.protected.is_some() {
            let file = "no flag allows a change of a protected file or a look at a secret";
            let rule = match request.effect().commands.is_empty() {
                true => "the path of this file",
                false => "this whole command line",
            };
            return Some(format!("{file}: a terminal would ask, and a rule with {rule} allows it"));
        }
        let allow = match request.kind() {
            Some(kind) if !matches!(kind, ToolKind::Unknown(_)) => {
                format!("--allow {} allows this kind, ", kind.as_str())
            }
            _ => String::new(),
        };
        (self.by == By::Nobody)
            .then(|| format!("{allow}--yes allows everything, and a terminal would ask"))
    }
}

fn kind_word(request: &PermissionRequest) -> String {
    request.kind().map(tool_call::kind).unwrap_or_default()
}

/// Puts the question to the person, on stderr, which is a terminal then.
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
            "  [{}] have attache remember the answer …",
            paint.paint(BOLD, remember::KEY)
        ));
    }
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The question as the person sees it: the call whole, its diffs and its input, then what can be
/// chosen.
fn question(request: &PermissionRequest, cwd: &Path, paint: Paint, columns: usize) -> Vec<String> {
    let title = match &request.command {
        // The command follows as it is, with every line feed in it.
        Some(_) => String::new(),
        None => sanitize::visible_line(request.title()),
    };
    let kind = paint.paint(CYAN, kind_word(request));
    let mut lines =
        vec![format!("{} the agent asks for permission: {kind}", paint.paint(YELLOW, "?"))];
    // Never cut: what is left out of a question would be approved unseen.
    let title = Some(title).filter(|title| !title.is_empty());
    let title = title.into_iter().flat_map(|title| width::wrap(&title, columns.saturating_sub(2)));
    lines.extend(title.map(|line| format!("  {}", paint.paint(BOLD, line))));
    let effect = effect::parts(request, cwd, effect::Extent::Question);
    lines.extend(
        effect::lines(&effect, columns, "  ").into_iter().map(|line| paint.paint(BOLD, line)),
    );
    let content =
        request.asked.content.as_ref().or(request.tool_call.as_ref().map(|call| &call.content));
    for content in content.into_iter().flatten() {
        match content {
            ToolCallContent::Diff(diff) => {
                lines.extend(tool_call::change(diff, cwd, paint, Bound::Whole))
            }
            ToolCallContent::Content(content) => {
                let text = tool_call::block(&content.content);
                lines.extend(text.lines().map(|line| format!("    {line}")));
            }
            _ => {}
        }
    }
    let keys = keys(&request.options);
    lines.extend(keys.iter().map(|(key, option)| {
        format!("  [{}] {}", paint.paint(BOLD, key), sanitize::visible_line(&option.name))
    }));
    lines
}

/// One key for each option: y and a allow once and always, n and d reject once and always; further
/// options of a kind have digits.
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
/// The terminal cannot be read; nothing is decided then.
pub(crate) async fn answer(
    request: &PermissionRequest,
    rules: Option<&Rules>,
) -> std::io::Result<Verdict> {
    let options = keys(&request.options);
    let rejected = Verdict { decision: Some(Decision::Reject), allowed: false, by: By::Person };
    if options.is_empty() {
        // Nothing to choose from: the client says that the question was cancelled (PERM-13).
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

/// Waits for one of these keys, behind a question of one word; its line is left open.
async fn pressed(keys: &[char], question: &str) -> std::io::Result<char> {
    let accepted = keys.iter().filter_map(|key| u8::try_from(*key).ok()).collect();
    let shown: Vec<String> = keys.iter().map(char::to_string).collect();
    let key =
        char::from(key::pressed(accepted, format!("{question} [{}] ", shown.join("/"))).await?);
    // The terminal does not show keys while they are read one by one.
    let _ = write!(std::io::stderr(), "{key}");
    Ok(key)
}
