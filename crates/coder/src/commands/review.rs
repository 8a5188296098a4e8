//! The command `review`: what is changed and not committed.

use crate::models::Models;
use crate::session::memory::Memory;
use crate::tools::fit::{code, counted};
use crate::tools::{Finding, Toolbox};
use attache_agent::{Result, Turn};
use serde_json::json;

/// How many files are named.
const NAMED: usize = 100;

/// The command that says what is changed, and the line between its parts.
const LINE: &str = "--";
const COMMAND: &str =
    "git --no-pager diff HEAD --numstat && echo -- && git status --short --untracked-files=all";

/// What a model is asked, with what the person wants looked at.
pub(super) fn task(about: &str) -> String {
    let about = if about.is_empty() {
        String::new()
    } else {
        format!("\nLook above all at this: {about}\n")
    };
    format!(
        "Review what is changed in the working directory and not committed. See the changes with `git status --short` and `git --no-pager diff HEAD`, and \
         new files by reading them. Read around each change as far as you need to judge it. Change nothing.\n{about}\n\
         Say what is wrong or will break, the worst first: each with `path:line`, why it is wrong, and what to do. Then what is missing, such as a \
         test. Leave out praise and matters of taste. If nothing is wrong, say so in one sentence, and if there is no change either."
    )
}

/// Says which files are changed, and by how much, without a model.
pub(super) async fn review(models: &Models, memory: &mut Memory, turn: &Turn) -> Result<String> {
    let ran = Toolbox::new(turn, models, memory)
        .call("execute", &json!({ "command": COMMAND }).to_string())
        .await?;
    match &ran.finding {
        Finding::Ran(ran) if ran.success => Ok(changes(&ran.output)),
        Finding::Ran(ran) => {
            let why = ran.output.lines().next().unwrap_or_default();
            Ok(format!("Git could not say what is changed: {}\n", code(why)))
        }
        _ => Ok(format!("Without a command nothing can be said of the changes. {}\n", ran.text)),
    }
}

fn changes(output: &str) -> String {
    let (counts, status) = output.split_once(&format!("{LINE}\n")).unwrap_or((output, ""));
    let mut rows = Vec::new();
    for line in counts.lines() {
        let mut cells = line.splitn(3, '\t');
        let (Some(added), Some(removed), Some(path)) = (cells.next(), cells.next(), cells.next())
        else {
            continue;
        };
        rows.push(match added {
            "-" => format!("- {}: not text\n", code(path)),
            _ => format!("- {}: {added} added, {removed} removed\n", code(path)),
        });
    }
    let new = status.lines().filter_map(|line| line.strip_prefix("?? "));
    rows.extend(new.map(|path| format!("- {}: new\n", code(path))));
    if rows.is_empty() {
        return "Nothing is changed since the last commit.\n".to_owned();
    }
    let total = counted(rows.len() as u64, "file");
    let more = match rows.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("- and {more} more\n"),
    };
    rows.truncate(NAMED);
    format!(
        "Changed since the last commit, {total}:\n\n{}{more}\nWhether it is right only a model of a provider can say: `/model`.\n",
        rows.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::changes;

    #[test]
    fn changed_new_and_other_files_are_named() {
        let said = changes("3\t1\tsrc/a b.rs\n-\t-\tx.png\n--\n M src/a b.rs\n?? new.rs\n");
        assert!(
            said.contains("3 files:") && said.contains("- `src/a b.rs`: 3 added, 1 removed\n"),
            "{said}"
        );
        assert!(said.contains("- `x.png`: not text\n- `new.rs`: new\n"), "{said}");
        assert_eq!(changes("--\n"), "Nothing is changed since the last commit.\n");
    }
}
