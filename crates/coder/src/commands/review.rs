//! The command `review`, which reviews uncommitted changes.

use crate::models::Models;
use crate::session::memory::Memory;
use crate::tools::fit::{code, counted};
use crate::tools::{Finding, Toolbox};
use attache_agent::{Result, Turn};
use serde_json::json;

/// The maximum number of files in the list.
const MAX_LISTED: usize = 100;

/// The line that separates the two parts of the output of [`COMMAND`].
const LINE: &str = "--";

/// The command that lists the changes.
const COMMAND: &str =
    "git --no-pager diff HEAD --numstat && echo -- && git status --short --untracked-files=all";

/// The task for a model, including the person's wishes.
pub(super) fn task(about: &str) -> String {
    let about = if about.is_empty() {
        String::new()
    } else {
        format!("\nPay special attention to this: {about}\n")
    };
    format!(
        "Review the uncommitted changes in the working directory. See the changes with `git status --short` and `git --no-pager diff HEAD`, and \
         new files by reading them. Read as much of the surrounding code as you need to judge each change. Do not change anything.\n{about}\n\
         List what is wrong or will break, the worst first: each with `path:line`, the reason and a fix. Then list what is missing, such as a \
         test. Leave out praise and matters of taste. If nothing is wrong, or if nothing changed, say so in one sentence."
    )
}

/// Lists the changed files and the size of each change, without a model.
pub(super) async fn review(models: &Models, memory: &mut Memory, turn: &Turn) -> Result<String> {
    let ran = Toolbox::new(turn, models, memory)
        .call("execute", &json!({ "command": COMMAND }).to_string())
        .await?;
    match &ran.finding {
        Finding::Ran(ran) if ran.success => Ok(changes(&ran.output)),
        Finding::Ran(ran) => {
            let why = ran.output.lines().next().unwrap_or_default();
            Ok(format!("Git could not list the changes: {}\n", code(why)))
        }
        _ => Ok(format!("The changes are unknown because the command did not run. {}\n", ran.text)),
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
            "-" => format!("- {}: binary\n", code(path)),
            _ => format!("- {}: {added} added, {removed} removed\n", code(path)),
        });
    }
    let new = status.lines().filter_map(|line| line.strip_prefix("?? "));
    rows.extend(new.map(|path| format!("- {}: new\n", code(path))));
    if rows.is_empty() {
        return "Nothing has changed since the last commit.\n".to_owned();
    }
    let total = counted(rows.len() as u64, "file");
    let more = match rows.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!("- and {more} more\n"),
    };
    rows.truncate(MAX_LISTED);
    format!(
        "Changes since the last commit ({total}):\n\n{}{more}\nOnly a provider's model can review them: choose one with `/model`.\n",
        rows.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::changes;

    #[test]
    fn review_lists_changed_new_and_binary_files() {
        let said = changes("3\t1\tsrc/a b.rs\n-\t-\tx.png\n--\n M src/a b.rs\n?? new.rs\n");
        assert!(
            said.contains("(3 files):") && said.contains("- `src/a b.rs`: 3 added, 1 removed\n"),
            "{said}"
        );
        assert!(said.contains("- `x.png`: binary\n- `new.rs`: new\n"), "{said}");
        assert_eq!(changes("--\n"), "Nothing has changed since the last commit.\n");
    }
}
