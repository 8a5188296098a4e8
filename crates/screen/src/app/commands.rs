//! Slash commands of the screen. All other slash commands belong to the agent.

use crate::app::state::App;
use crate::panel::request::Request;
use attache_client::Budget;
use attache_protocol::v1::Cost;

impl App {
    /// Runs a text if it is a command of the screen; `false` if it is not.
    pub(crate) fn command(&mut self, text: &str) -> bool {
        let Some(line) = text.strip_prefix('/').filter(|line| !line.contains('\n')) else {
            return false;
        };
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match name {
            "help" => self.show_help(),
            "new" => {
                let current = self.slot().map(|slot| slot.agent.clone()).unwrap_or_default();
                self.open_new(if rest.is_empty() { &current } else { rest });
            }
            "agent" if !rest.is_empty() => self.open_new(rest),
            "sessions" | "switch" | "resume" => self.show_sessions(rest),
            "attention" => self.show_attention(),
            "agents" | "agent" => self.show_agents(),
            "settings" | "options" => self.show_settings(None),
            "model" => self.show_settings(Some("model")),
            "queue" => self.show_queue(),
            "review" => self.review(),
            "rewind" => self.show_timeline(false),
            "undo" => self.show_timeline(true),
            "rename" if !rest.is_empty() => self.rename_shown(rest),
            "budget" => self.set_budget(rest),
            "restart" => {
                let agent = self.slot().map(|slot| slot.agent.clone()).unwrap_or_default();
                self.request(Request::Restart { agent });
            }
            "continue" => self.continue_in_new_session(),
            "close" => self.close_shown(),
            "notices" => self.show_notices(),
            "theme" | "vim" | "mouse" | "notify" | "thoughts" => {
                let key = format!("screen.{name}");
                let value = if rest.is_empty() { self.next_value(&key) } else { rest };
                self.set_screen(&key, value);
            }
            "quit" | "exit" => self.request(Request::Quit),
            _ => return false,
        }
        self.is_dirty = true;
        true
    }

    /// Says that there is no such command, if a text looks like one that neither the screen nor
    /// the agent has.
    pub(crate) fn refuse_unknown(&mut self, text: &str) -> bool {
        let word = text.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        let is_name = |word: &&str| {
            !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
        };
        let Some(word) = word.filter(is_name) else { return false };
        let known = self.session().is_some_and(|session| {
            session.snapshot().commands().iter().any(|command| command.name == word)
        });
        if known {
            return false;
        }
        self.notices.warning(&format!(
            "there is no command /{word}: /help lists them, and a second slash (//{word}) sends the text as it is"
        ));
        true
    }

    fn rename_shown(&mut self, title: &str) {
        let Some(session) = self.session().cloned() else {
            return self.notices.warning("the session is not open yet");
        };
        let title = title.to_owned();
        self.tasks.spawn(async move {
            let renamed = session.set_title(title).await.map(drop);
            crate::app::state::Done::Listed(renamed.map_err(|error| error.to_string()))
        });
    }

    fn set_budget(&mut self, wanted: &str) {
        let Some(session) = self.session().cloned() else {
            return self.notices.warning("the session is not open yet");
        };
        let budget = match wanted {
            "" => {
                let text = match session.budget() {
                    Some(budget) => format!("the budget is {budget}"),
                    None => "no budget is set".to_owned(),
                };
                return self.notices.info(&text);
            }
            "none" => None,
            wanted => match read_budget(wanted) {
                Some(budget) => Some(budget),
                None => {
                    return self.notices.warning(
                        "expected an amount above 0 and a currency, such as 0.50USD, or none",
                    );
                }
            },
        };
        self.notices.info(&match &budget {
            Some(budget) => format!("the budget is now {budget}"),
            None => "there is no budget now".to_owned(),
        });
        session.set_budget(budget);
    }
}

fn read_budget(word: &str) -> Option<Budget> {
    let at = word.find(|c: char| c.is_alphabetic()).unwrap_or(word.len());
    let (amount, currency) = word.split_at_checked(at)?;
    let amount: f64 = amount.trim().parse().ok()?;
    let currency = if currency.is_empty() { "USD".to_owned() } else { currency.to_uppercase() };
    let fits = amount.is_finite() && amount > 0.0 && currency.chars().all(char::is_alphanumeric);
    fits.then(|| Budget::Cost(Cost::new(amount, currency)))
}
