//! Finds programs that another program runs because a word in its arguments names them. Rules that
//! deny use this.

use super::programs::program_name;
use super::{has_verbs, is_among, is_beginning_of, program, tokens};
use crate::options;
use crate::shell::Part;

/// Programs whose arguments are names or text. The name of another program among these arguments is
/// not a command.
const NAME_ONLY: &[&str] = &[
    "ack", "ag", "apropos", "apt-get", "bat", "cat", "chmod", "chown", "code", "cp", "curl",
    "date", "dpkg", "echo", "egrep", "emacs", "export", "fd", "fdfind", "fgrep", "grep", "help",
    "info", "install", "kill", "killall", "less", "ln", "ls", "make", "man", "mkdir", "mktemp",
    "more", "mv", "nano", "nvim", "pgrep", "pkill", "printf", "ps", "rg", "rm", "rmdir", "tar",
    "tee", "test", "tldr", "touch", "tree", "type", "unzip", "vi", "view", "vim", "whatis",
    "whereis", "which", "zgrep", "zip", "[",
];

/// Options whose value is a program, in any program.
const RUNS: &[&str] = &[
    "--checkpoint-action",
    "--compress-program",
    "--exec",
    "--exec-batch",
    "--pre",
    "--rmt-command",
    "--rsh",
    "--rsh-command",
    "--to-command",
    "--use-compress-program",
];

/// Options whose value is a program, in programs that search for files.
const FINDERS_RUN: &[&str] = &["-x", "-X"];

/// Programs that find files.
const FINDERS: &[&str] = &["fd", "fdfind"];

/// Whether it is possible that the command runs these words: as arguments of an unknown program, as
/// the value of an option that runs it, or after `!` in an editor or an alias.
pub(super) fn runs(part: &Part, words: &[String]) -> bool {
    let Some(program) = program(part) else { return false };
    let program = program_name(program);
    let known = NAME_ONLY.contains(&program) || has_verbs(program) || options::has_table(program);
    let own = part.words.get(1..).unwrap_or_default();
    let texts: Vec<Option<&str>> =
        own.iter().map(|word| word.is_literal().then_some(word.text.as_str())).collect();
    let from = |at: usize| is_beginning_of(texts.get(at..).unwrap_or_default(), words);
    let starts = |option: &str| {
        RUNS.contains(&option) || (FINDERS.contains(&program) && FINDERS_RUN.contains(&option))
    };
    own.iter().enumerate().any(|(at, word)| {
        let (option, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
        let shouted = word
            .text
            .split_once('!')
            .filter(|(before, _)| before.is_empty() || before.ends_with(['=', '+', ':']));
        let shouted = shouted.map(|(_, line)| line);
        (!known && from(at))
            || (starts(option) && (from(at + 1) || is_among(&tokens(value), words)))
            || shouted.is_some_and(|line| is_among(&tokens(line), words))
    })
}

#[cfg(test)]
mod tests {
    use super::runs;
    use crate::shell::parts;

    #[test]
    fn a_program_is_found_only_if_another_program_runs_it() {
        let rm = ["rm".to_owned()];
        let runs = |line: &str| parts(line).unwrap().iter().any(|part| runs(part, &rm));
        for line in [
            "fd -x rm",
            "fd . src -X /bin/rm -f",
            "rg --pre rm x",
            "rg --pre=rm x",
            "tar cf a.tar --checkpoint-action=exec=\"rm x\" a",
            "git -c alias.q='!rm x' q",
            "vim -c '!rm x'",
            "vim '+!rm x'",
            "chronic rm x",
            "faketime 1 rm x",
        ] {
            assert!(runs(line), "{line}");
        }
        for line in [
            "echo rm",
            "grep rm file",
            "grep -x rm file",
            "rg rm src",
            "fd rm",
            "man rm",
            "git commit -m 'rm x'",
            "git log --grep=rm",
            "git commit -m 'Done! rm x'",
            "cargo test rm",
            "npm test rm",
            "chronic ls rmdir",
        ] {
            assert!(!runs(line), "{line}");
        }
    }
}
