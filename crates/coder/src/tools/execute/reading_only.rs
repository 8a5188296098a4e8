//! The settings for a command that runs because it only reads. They keep git from running the
//! programs that a repository names. Such a command gets no writable folder of the session (see
//! `bounds`).

use attache_host::Launch;

/// Settings that override the configuration of the repository. An embedded bare repository is used
/// only if the command names it.
const SETTINGS: [(&str, &str); 11] = [
    ("core.alternateRefsCommand", "true"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("diff.submodule", "short"),
    ("log.diffMerges", "separate"),
    ("log.showSignature", "false"),
    ("safe.bareRepository", "explicit"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
];

/// Variables that are removed, because they can make git run programs or write files.
const REMOVED: [&str; 10] = [
    "GIT_CONFIG_PARAMETERS",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER_IN_USE",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TRACE",
    "GIT_TRACE_SETUP",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
];

/// Variables that are set for git and similar programs.
const SET: [(&str, &str); 6] = [
    ("GIT_EDITOR", "true"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
];

/// Returns the launch of a command that only reads.
pub(super) fn launch(launch: Launch) -> Launch {
    let launch = REMOVED.into_iter().fold(launch, Launch::env_remove);
    let launch = SET.into_iter().fold(launch, |launch, (name, value)| launch.env(name, value));
    let launch = launch.env("GIT_CONFIG_COUNT", SETTINGS.len().to_string());
    (0..).zip(SETTINGS).fold(launch, |launch, (number, (key, value)): (usize, _)| {
        launch
            .env(format!("GIT_CONFIG_KEY_{number}"), key)
            .env(format!("GIT_CONFIG_VALUE_{number}"), value)
    })
}
