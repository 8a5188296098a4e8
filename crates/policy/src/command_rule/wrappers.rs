//! The programs that run other programs: shells, and wrappers such as `sudo` and `env`.

use crate::command::programs::program_name;
use crate::shell::{Part, Word};

/// Programs that run their arguments as another command.
const WRAPPERS: &[&str] = &[
    "ash",
    "bash",
    "builtin",
    "busybox",
    "chroot",
    "chrt",
    "command",
    "dash",
    "direnv",
    "doas",
    "eatmydata",
    "entr",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "firejail",
    "fish",
    "flock",
    "ionice",
    "ksh",
    "ltrace",
    "nice",
    "nohup",
    "nsenter",
    "numactl",
    "parallel",
    "pkexec",
    "prlimit",
    "rlwrap",
    "runuser",
    "script",
    "setpriv",
    "setsid",
    "sg",
    "sh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "toybox",
    "unbuffer",
    "unshare",
    "valgrind",
    "watch",
    "xargs",
    "zsh",
];

/// Further programs that run another program, which is named somewhere among their arguments.
pub(super) const RUN_SOME_WORDS: &[&str] = &[
    "at",
    "batch",
    "bundle",
    "bwrap",
    "caffeinate",
    "hatch",
    "kubectl",
    "mise",
    "nix",
    "nix-shell",
    "npm",
    "pnpm",
    "pipx",
    "poetry",
    "uv",
    "vagrant",
    "yarn",
];

/// Built-in commands of the shell that run, name or store commands.
pub(super) const SHELL_RUNS: &[&str] =
    &["alias", "builtin", "command", "coproc", "eval", "exec", "trap"];

pub(super) const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "sh", "zsh"];

pub(super) fn is_wrapper(word: &str) -> bool {
    WRAPPERS.contains(&program_name(word))
}

/// Whether a shell gets its line with an option such as `-c`.
pub(super) fn has_line(part: &Part) -> bool {
    part.words.iter().skip(1).any(|word| word.text.starts_with('-') && word.text.contains('c'))
}

/// The line that a shell gets with its option `-c`.
pub(super) fn inner_line(part: &Part) -> Option<&Word> {
    let at = part.words.iter().skip(1).position(|word| {
        word.is_literal()
            && word.text.starts_with('-')
            && !word.text.starts_with("--")
            && word.text.contains('c')
    })?;
    part.words
        .iter()
        .skip(at + 2)
        .find(|word| !word.text.starts_with(['-', '+']) || !word.is_literal())
}

/// Whether a program runs an unknown command: the first of its words that is not an option, a
/// number or a variable is unknown.
pub(super) fn wraps_unknown(part: &Part) -> bool {
    let skips = match part.words.first().map(|word| program_name(&word.text)) {
        Some("chroot" | "flock" | "su" | "sg" | "runuser") => 1,
        _ => 0,
    };
    let plain = |word: &&Word| {
        let text = &word.text;
        let number = text.starts_with(|each: char| each.is_ascii_digit());
        !word.is_literal() || !(text.starts_with(['-', '+']) || text.contains('=') || number)
    };
    let mut words = part.words.iter().skip(1).filter(plain);
    let candidates = words.by_ref().take(skips + 1);
    candidates.into_iter().any(|word| word.variable || word.substitution)
}
