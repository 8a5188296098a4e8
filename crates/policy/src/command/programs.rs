//! Programs that run other commands, and programs with subcommands.

/// Returns the name of a program that is given by its name or its path.
pub(crate) fn program_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Programs that run their arguments. A rule that allows one of them would allow everything, so no
/// such rule is offered, and a rule that denies also looks for its command among their arguments.
const RUNNERS: &[&str] = &[
    ".",
    "awk",
    "bash",
    "builtin",
    "bun",
    "busybox",
    "chroot",
    "command",
    "dash",
    "deno",
    "docker",
    "doas",
    "env",
    "eval",
    "exec",
    "expect",
    "find",
    "fish",
    "flock",
    "gdb",
    "ionice",
    "ksh",
    "lua",
    "nice",
    "node",
    "nohup",
    "npx",
    "parallel",
    "perl",
    "php",
    "pkexec",
    "podman",
    "python",
    "python3",
    "ruby",
    "screen",
    "script",
    "sed",
    "setsid",
    "sh",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "tclsh",
    "time",
    "timeout",
    "tmux",
    "unshare",
    "watch",
    "xargs",
    "xterm",
    "zsh",
];

/// Programs with subcommands: the second word defines the action.
const WITH_VERBS: &[&str] = &[
    "apt",
    "brew",
    "bundle",
    "cargo",
    "composer",
    "dotnet",
    "gh",
    "git",
    "go",
    "gradle",
    "helm",
    "jj",
    "just",
    "kubectl",
    "mix",
    "mvn",
    "npm",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "rails",
    "rustup",
    "swift",
    "systemctl",
    "terraform",
    "uv",
    "yarn",
];

/// Whether the second word of the program is a subcommand.
pub(crate) fn has_verbs(program: &str) -> bool {
    WITH_VERBS.contains(&program)
}

/// Whether the program runs its arguments as commands or code.
pub(crate) fn is_runner(program: &str) -> bool {
    let name = program_name(program);
    RUNNERS.contains(&name)
}
