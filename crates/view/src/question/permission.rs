//! A permission request.

use super::choices::{Choice, ChoiceAction, RuleChoice, RuleReach};
use super::rule_words::rule_meaning;
use super::text::{label, stated};
use crate::block::Block;
use crate::extent::Extent;
use crate::path::relative;
use crate::row::tool_call_row::Output;
use crate::sanitize;
use crate::span::{Line, Role, Span};
use crate::tool_call::effect::{self, visible};
use crate::tool_call::output::{self, OutputContext, TerminalOutput};
use attache_client::{Agents, Effect, Guard, PermissionRequest, Rule, RuleScope};
use attache_protocol::v1::{PermissionOption, PermissionOptionKind};
use attache_session::{AgentTerminal, ToolCallContent};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// Says of an agent's own permanent answer that it is not the client's rule.
const AGENTS_OWN: &str = "the agent remembers";

/// A permission request. Nothing is left out, because the person would approve it unseen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PermissionView {
    /// The agent's question or title; empty if the client itself asks about a command, which
    /// `effect` shows.
    pub title: Line,
    /// The kind of the call, such as `execute`.
    pub kind: String,
    /// What the agent says besides the title.
    pub stated: Vec<Arc<Block>>,
    /// What the call does according to its arguments, except for what the title and the outputs
    /// show.
    pub effect: Vec<Line>,
    /// The diffs and texts of the call.
    pub outputs: Vec<Output>,
    /// Why only the person may allow the call, if no rule and no flag covers it.
    pub protected: Option<Line>,
    /// Whether an earlier answer covers the call.
    pub covered: bool,
    /// The answers: yes, always, no, then the others. "Yes" and "always" are missing if the agent
    /// offers no such answer.
    pub choices: Vec<Choice>,
}

impl PermissionView {
    /// Returns the view of a request of an agent with this name, in a session in this folder.
    /// Blocks on disk I/O if the call names paths.
    pub fn new(request: &PermissionRequest, agent: &str, cwd: &Path) -> Self {
        let title = match &request.command {
            Some(_) => String::new(),
            None => sanitize::visible_line(request.title()),
        };
        Self {
            kind: sanitize::line(request.kind().map_or("other", |kind| kind.as_str())),
            stated: statements(request),
            effect: effect_lines(request, &title, cwd),
            outputs: outputs(request, cwd),
            protected: protected(request).map(|why| Line::of(why, Role::Warning)),
            covered: request.covered,
            choices: choices(request, agent, cwd),
            title: Line::of(title, Role::Text),
        }
    }
}

/// Returns what an agent of version 2 says besides its question: a description, the title of the
/// call, and a subject that this version does not know, as JSON.
fn statements(request: &PermissionRequest) -> Vec<Arc<Block>> {
    let mut blocks = request.description.as_deref().map(stated).unwrap_or_default();
    let Some(question) = &request.question else { return blocks };
    let known = request.tool_call.as_ref().map(|call| call.title.as_str());
    let title = known.or(request.asked.title.set().map(String::as_str));
    if let Some(title) = title.filter(|title| !title.is_empty() && *title != question) {
        blocks.push(Arc::new(Block::Paragraph { lines: vec![label(title)] }));
    }
    if let Some(subject) = &request.unknown_subject {
        let lines = vec![
            Line::of("about something that this version does not know:", Role::Warning),
            Line::of(visible(subject.get()).replace('\n', " "), Role::Code),
        ];
        blocks.push(Arc::new(Block::Paragraph { lines }));
    }
    blocks
}

fn effect_lines(request: &PermissionRequest, title: &str, cwd: &Path) -> Vec<Line> {
    let mut effect = request.effect();
    let content = request.shown_content();
    let diffs: HashSet<String> = content
        .clone()
        .flat_map(ToolCallContent::changed_paths)
        .map(|path| relative(&path, cwd))
        .collect();
    // Diffs with texts show more than the arguments do. Changes without texts may show less.
    let is_patch = |part: &ToolCallContent| matches!(part, ToolCallContent::Changes(_));
    if !diffs.is_empty() && !content.clone().any(is_patch) {
        effect.arguments = None;
    }
    // The title of the client's own question names the file.
    let is_own = request.file.is_some();
    effect.paths.retain(|path| !is_own && !diffs.contains(&relative(path, cwd)));
    effect::lines(&effect, title, cwd, Extent::Whole)
}

fn outputs(request: &PermissionRequest, cwd: &Path) -> Vec<Output> {
    let terminal = |id: &str| {
        let terminals = request.terminals.iter();
        terminals
            .filter(|terminal| terminal.terminal_id.as_str() == id)
            .map(|terminal| terminal_output(terminal, cwd))
            .next()
    };
    let content: Vec<&ToolCallContent> = request.shown_content().collect();
    let diffs = RefCell::default();
    let context = OutputContext { cwd, extent: Extent::Whole, diffs: &diffs, terminal: &terminal };
    output::outputs(content.into_iter().rev(), false, &context)
}

/// Returns the command and the folder of a terminal, which are what the person allows.
fn terminal_output(terminal: &AgentTerminal, cwd: &Path) -> TerminalOutput {
    let folder = terminal.cwd.as_deref().map(|folder| {
        let folder = Span::new(relative(folder, cwd), Role::Path);
        Line { spans: vec![Span::new("in ", Role::Muted), folder] }
    });
    let command = visible(terminal.command.as_deref().unwrap_or_default()).replace('\n', "␊");
    TerminalOutput {
        command: Line::of(command, Role::Code),
        lines: folder.into_iter().collect(),
        ..TerminalOutput::default()
    }
}

fn protected(request: &PermissionRequest) -> Option<&'static str> {
    match request.protected {
        Some(Guard::Secret) => Some("only you can allow this: the file usually holds secrets"),
        Some(Guard::Obeyed) => {
            Some("only you can allow this: the file affects how programs or agents run")
        }
        None if request.needs_person() => {
            Some("only you can allow this: it shows something that this version does not know")
        }
        None => None,
    }
}

/// Returns the answers: three clear ones first, then the others.
fn choices(request: &PermissionRequest, agent: &str, cwd: &Path) -> Vec<Choice> {
    let options = &request.options;
    let ids: HashSet<&str> = options.iter().map(|option| option.option_id.as_str()).collect();
    // An answer with an id that two options have could mean either of them.
    let options: &[PermissionOption] = if ids.len() < options.len() { &[] } else { options };
    let of_kind = |kind: PermissionOptionKind| options.iter().find(|option| option.kind == kind);
    let mut choices = Choices { choices: Vec::new(), options, used: HashSet::new() };
    if let Some(once) = of_kind(PermissionOptionKind::AllowOnce) {
        choices.option('y', once, ChoiceAction::Allow, "yes");
    }
    let allow_always = of_kind(PermissionOptionKind::AllowAlways);
    // A rule answers with the option that allows once: the agent must not remember more than that.
    let rules = match of_kind(PermissionOptionKind::AllowOnce).is_some() {
        true => rules(request, agent, cwd, Effect::Allow),
        false => Vec::new(),
    };
    match (rules.first().map(|rule| rule.meaning.text()), allow_always) {
        (Some(meaning), _) => {
            let action = ChoiceAction::AllowAlways { rules };
            choices.add('a', Line::of(format!("always: {meaning}"), Role::Text), action);
        }
        (None, Some(option)) => choices.agents('a', option, "always, as the agent offers"),
        (None, None) => {}
    }
    let reject = of_kind(PermissionOptionKind::RejectOnce);
    match reject {
        Some(option) => choices.option('n', option, ChoiceAction::Reject, "no"),
        None => choices.add('n', Line::of("no", Role::Text), ChoiceAction::Reject),
    }
    choices.add('w', Line::of("no, and say why", Role::Text), ChoiceAction::RejectAndSay);
    let rules = self::rules(request, agent, cwd, Effect::Deny);
    if let Some(meaning) = rules.first().map(|rule| rule.meaning.text()) {
        let action = ChoiceAction::RejectAlways { rules };
        choices.add('d', Line::of(format!("never: {meaning}"), Role::Text), action);
    }
    let made =
        |is_it: fn(&ChoiceAction) -> bool| choices.choices.iter().any(|it| is_it(&it.action));
    let allows = made(|action| matches!(action, ChoiceAction::AllowAlways { .. }));
    let rejects = made(|action| matches!(action, ChoiceAction::RejectAlways { .. }));
    let further: Vec<&PermissionOption> =
        options.iter().filter(|option| !choices.used.contains(option.option_id.as_str())).collect();
    for (key, option) in ('1'..='9').zip(further) {
        let words = match option.kind {
            // The client's own rule is there already, and usually allows less.
            PermissionOptionKind::AllowAlways if allows => AGENTS_OWN,
            PermissionOptionKind::RejectAlways if rejects => AGENTS_OWN,
            _ => kind_words(&option.kind),
        };
        choices.agents(key, option, words);
    }
    choices.choices
}

fn kind_words(kind: &PermissionOptionKind) -> &'static str {
    match kind {
        PermissionOptionKind::AllowOnce => "yes",
        PermissionOptionKind::AllowAlways => "always",
        PermissionOptionKind::RejectOnce => "no",
        PermissionOptionKind::RejectAlways => "never",
        PermissionOptionKind::Unknown(_) => "",
    }
}

struct Choices<'r> {
    choices: Vec<Choice>,
    options: &'r [PermissionOption],
    /// The ids of the options that have a choice.
    used: HashSet<&'r str>,
}

impl<'r> Choices<'r> {
    fn add(&mut self, key: char, label: Line, action: ChoiceAction) {
        self.choices.push(Choice { key, label, action });
    }

    /// Adds an option of the agent that has a clear meaning.
    fn option(
        &mut self,
        key: char,
        option: &'r PermissionOption,
        action: ChoiceAction,
        words: &str,
    ) {
        self.used.insert(option.option_id.as_str());
        self.add(key, with_name(words, &option.name), action);
    }

    /// Adds an option by the agent's own name.
    fn agents(&mut self, key: char, option: &'r PermissionOption, words: &str) {
        self.used.insert(option.option_id.as_str());
        let same = |other: &PermissionOption| other.option_id == option.option_id;
        if let Some(index) = self.options.iter().position(same) {
            self.add(key, with_name(words, &option.name), ChoiceAction::Option { index });
        }
    }
}

/// Returns words and the agent's name for them, if it says more. A name that begins with the words
/// needs no others.
fn with_name(words: &str, name: &str) -> Line {
    let name = sanitize::visible_line(name);
    let first = name.split([' ', ',']).next().unwrap_or_default();
    let says_words = words.is_empty() || first.eq_ignore_ascii_case(words);
    match (name.is_empty() || name.eq_ignore_ascii_case(words), says_words) {
        (true, _) => Line::of(words, Role::Text),
        (false, true) => Line::of(name, Role::Text),
        (false, false) => Line {
            spans: vec![Span::new(words, Role::Text), Span::new(format!(": {name}"), Role::Muted)],
        },
    }
}

/// Returns the rules that can be remembered for a request, the narrowest first.
fn rules(request: &PermissionRequest, agent: &str, cwd: &Path, effect: Effect) -> Vec<RuleChoice> {
    let reaches =
        [('s', RuleReach::Session), ('p', RuleReach::Project), ('e', RuleReach::Everywhere)];
    let choice = |(key, reach)| {
        let rule = rule_about(request, agent, cwd, effect, reach)?;
        let meaning = label(&rule_meaning(&rule));
        Some(RuleChoice { key, reach, meaning, rule: label(&rule.to_line()) })
    };
    reaches.into_iter().filter_map(choice).collect()
}

/// Returns the narrowest rule that covers a request of an agent with this name, in a session in
/// this folder. `None` if the request says too little, or if only the person may allow it.
///
/// Pass the rule to [`attache_client::PermissionBroker::remember`], then answer the request. Blocks
/// on disk I/O if the call names paths.
pub fn rule_about(
    request: &PermissionRequest,
    agent: &str,
    cwd: &Path,
    effect: Effect,
    reach: RuleReach,
) -> Option<Rule> {
    let scope = match reach {
        RuleReach::Session => RuleScope::Session(request.session_id.clone()),
        RuleReach::Project => RuleScope::Project(cwd.to_owned()),
        RuleReach::Everywhere => RuleScope::Always,
    };
    let call = request.asked_call(agent, cwd);
    let rule = Rule { agents: Agents::only(agent), ..call.narrowest_rule(effect, scope)? };
    // A rule that does not cover the call itself, for example because the command runs in another
    // folder, is not offered.
    call.is_about(&rule).then_some(rule)
}
