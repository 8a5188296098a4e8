//! The facts about a conversation that its summary keeps.

use crate::tools::fit::code;
use serde::{Deserialize, Serialize};

/// The files that were read and changed, the commands that ran, and the plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) read: Vec<String>,
    pub(crate) changed: Vec<String>,
    pub(crate) ran: Vec<String>,
    /// The last plan, in Markdown.
    pub(crate) plan: Vec<String>,
}

impl Facts {
    /// The facts as Markdown lists; empty lists are left out.
    pub(crate) fn markdown(&self) -> String {
        let list = |title: &str, of: &[String]| match of.is_empty() {
            true => String::new(),
            false => {
                let each: Vec<_> = of.iter().map(|one| code(one)).collect();
                format!("\n{title}: {}\n", each.join(", "))
            }
        };
        let mut text = list("Files read", &self.read);
        text.push_str(&list("Files changed", &self.changed));
        text.push_str(&list("Commands run", &self.ran));
        if !self.plan.is_empty() {
            text.push_str(&format!("\nPlan:\n{}\n", self.plan.join("\n")));
        }
        text
    }
}
