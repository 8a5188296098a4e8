//! `attache doctor`: shows what is installed and configured here. It writes nothing and shows no
//! key.

mod checkpoints;
mod findings;
mod hub;
mod online;

use crate::args;
use crate::demo::size;
use crate::exit::{Exit, Failure};
use crate::say::counted;
use crate::settings::Settings;
use crate::show::paint::Paint;
use crate::store::Place;
use crate::terminal;
use attache_client::KNOWN_AGENTS;
use attache_coder::{Models, Rules};
use attache_host::Sandbox;
use findings::{Findings, Mark};
use jiff::Zoned;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::{env, fs};

/// Variables with keys that only other agents use. The providers know the variables of their own
/// keys.
const FOREIGN_KEYS: [&str; 5] =
    ["GROQ_API_KEY", "XAI_API_KEY", "AZURE_OPENAI_API_KEY", "AWS_ACCESS_KEY_ID", "GITHUB_TOKEN"];

/// If there are more rules than this, only their number is shown.
const FEW_RULES: usize = 10;

/// Runs `attache doctor`.
pub(crate) async fn doctor(arguments: &args::Doctor) -> Result<Exit, Failure> {
    let settings = Settings::read();
    let (models, why) = crate::models::models(&settings);
    models.look().await;
    let mut out = io::stdout().lock();
    let mut findings = Findings { lines: Vec::new(), paint: Paint::of(&out) };
    program(&mut findings);
    terminal_facts(&mut findings);
    folders(&mut findings);
    settings.troubles().iter().for_each(|trouble| findings.found(Mark::Bad, "settings", trouble));
    hub::hub(&mut findings).await;
    agents(&mut findings);
    keys(&mut findings, &settings);
    let unusable = models.unusable().await;
    model_facts(&mut findings, &models, why.as_deref(), unusable.as_deref());
    if arguments.online {
        online::lists(&mut findings, &models).await;
    }
    sandbox(&mut findings).await;
    rules(&mut findings, &settings, arguments.verbose);
    limits(&mut findings);
    let written = findings
        .lines
        .iter()
        .try_for_each(|line| writeln!(out, "{line}"))
        .and_then(|()| out.flush());
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

fn program(findings: &mut Findings) {
    findings.part("program");
    findings.found(Mark::Fact, "attache", env!("CARGO_PKG_VERSION"));
    findings.found(Mark::Fact, "protocol", "ACP version 1, and version 2, a draft");
    findings.found(Mark::Fact, "system", &format!("{} {}", system(), env::consts::ARCH));
}

/// Returns the name of the operating system.
fn system() -> String {
    let named = fs::read_to_string("/etc/os-release").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
        Some(line.trim_matches('"').to_owned())
    });
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let system = named.unwrap_or_else(|| env::consts::OS.to_owned());
    if kernel.trim().is_empty() { system } else { format!("{system}, kernel {}", kernel.trim()) }
}

fn terminal_facts(findings: &mut Findings) {
    findings.part("terminal");
    let streams = [
        ("stdin", io::stdin().is_terminal()),
        ("stdout", io::stdout().is_terminal()),
        ("stderr", io::stderr().is_terminal()),
    ];
    for (name, is_terminal) in streams {
        let what = if is_terminal { "a terminal" } else { "not a terminal" };
        findings.found(Mark::Fact, name, what);
    }
    let colours = if Paint::of(&io::stdout()).colours { "on" } else { "off" };
    let wishes: Vec<String> = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"]
        .into_iter()
        .filter_map(|name| Some(format!("{name}={}", env::var_os(name)?.to_string_lossy())))
        .collect();
    findings.found(
        Mark::Fact,
        "colours",
        &format!("{colours}{}{}", if wishes.is_empty() { "" } else { "; " }, wishes.join(" ")),
    );
    let width = terminal::columns()
        .map_or_else(|| "unknown".to_owned(), |columns| format!("{columns} columns"));
    findings.found(Mark::Fact, "width", &width);
    let (mark, what) = match crate::key::can_ask() {
        true => (Mark::Good, "you can be asked here"),
        false => (
            Mark::Missing,
            "you cannot be asked here: allow actions with rules, --yes or --allow KIND",
        ),
    };
    findings.found(mark, "questions", what);
}

fn folders(findings: &mut Findings) {
    findings.part("folders");
    match env::current_dir() {
        Ok(cwd) => folder(findings, "current", &cwd),
        Err(error) => findings.found(Mark::Bad, "current", &format!("cannot be found: {error}")),
    }
    for (name, variable, found) in [
        ("configuration", "XDG_CONFIG_HOME", crate::folder::configuration()),
        ("data", "XDG_DATA_HOME", crate::folder::data()),
        ("state", "XDG_STATE_HOME", crate::folder::state()),
        ("cache", "XDG_CACHE_HOME", crate::folder::cache()),
    ] {
        match found {
            Some(found) => folder(findings, name, &found),
            None => findings.found(
                Mark::Bad,
                name,
                &format!("no folder: set HOME or {variable} to an absolute path"),
            ),
        }
    }
    folder(findings, "temporary", &env::temp_dir());
    sessions(findings);
    checkpoints::checkpoints(findings);
}

/// Shows the store and its number of sessions, without writing.
fn sessions(findings: &mut Findings) {
    let place = match Place::of(None) {
        Ok(place) => place,
        Err(error) => return findings.found(Mark::Bad, "sessions", &error.to_string()),
    };
    let Place::File(path) = &place else {
        let why = format!("not stored: {} is {}", crate::store::VARIABLE, crate::store::NONE);
        return findings.found(Mark::Missing, "sessions", &why);
    };
    let shown = path.display();
    let stored = place
        .existing()
        .and_then(|store| store.map(|store| crate::store::count(&store)).transpose());
    match stored {
        Ok(Some(count)) => {
            let size = fs::metadata(path)
                .map_or_else(|_| "unknown size".to_owned(), |file| size(file.len()));
            let count = counted(count, "session");
            findings.found(Mark::Good, "sessions", &format!("{shown}  ({count}, {size})"));
        }
        Ok(None) => folder(findings, "sessions", path),
        Err(error) => findings.found(Mark::Bad, "sessions", &format!("{shown}  ({error})")),
    }
}

/// Shows whether the folder, or its nearest existing parent, is writable, without writing.
fn folder(findings: &mut Findings, name: &str, path: &Path) {
    let existing = path.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(path);
    let (mark, state) = match (has_access(existing, libc::W_OK | libc::X_OK), existing == path) {
        (true, true) => (Mark::Good, "writable"),
        (true, false) => (Mark::Good, "is created when needed"),
        (false, true) => (Mark::Bad, "not writable"),
        (false, false) => (Mark::Bad, "cannot be created: the parent folder is not writable"),
    };
    findings.found(mark, name, &format!("{}  ({state})", path.display()));
}

fn has_access(path: &Path, access: libc::c_int) -> bool {
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()) else {
        return false;
    };
    // SAFETY: `path` is NUL-terminated and outlives the call.
    unsafe { libc::access(path.as_ptr(), access) == 0 }
}

fn agents(findings: &mut Findings) {
    findings.part("agents");
    findings.found(
        Mark::Good,
        "built-in",
        "the default of `attache run`; editors start `attache agent`",
    );
    for agent in KNOWN_AGENTS {
        match agent.find() {
            Some(path) => findings.found(
                Mark::Good,
                agent.name,
                &format!("{}  (--agent {})", path.display(), agent.name),
            ),
            None => findings.found(
                Mark::Missing,
                agent.name,
                &format!("not found; install: {}", agent.install),
            ),
        }
    }
    // Only a started agent answers this, and the doctor starts none.
    findings.found(
        Mark::Fact,
        "ACP versions",
        "`attache agents check` starts the agents and shows the versions that each speaks",
    );
}

fn keys(findings: &mut Findings, settings: &Settings) {
    findings.part("keys in the environment (values are never shown)");
    let of_providers = settings.providers.iter().flat_map(|provider| &provider.keys);
    let names = of_providers.map(String::as_str).chain(FOREIGN_KEYS);
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let mut none = true;
    for name in names.filter(is_set) {
        none = false;
        findings.found(Mark::Good, name, "set");
    }
    if none {
        findings.found(
            Mark::Missing,
            "none",
            "the built-in agent needs none; other agents may store theirs elsewhere",
        );
    }
}

fn model_facts(
    findings: &mut Findings,
    models: &Models,
    why: Option<&str>,
    unusable: Option<&str>,
) {
    findings.part("models of the built-in agent");
    if let Some(why) = why {
        findings.found(Mark::Bad, "your own list", why);
    }
    for provider in models.found() {
        let prefix = provider.prefix;
        match provider.models.split_first() {
            Some((first, [])) => findings.found(Mark::Good, &provider.name, first),
            Some((first, more)) => {
                let what = format!(
                    "{first} and {} more; choose any other with ATTACHE_MODEL={prefix}…",
                    more.len()
                );
                findings.found(Mark::Good, &provider.name, &what);
            }
            None if provider.is_loading => findings.found(
                Mark::Good,
                &provider.name,
                &format!("is loading its model; choose it with ATTACHE_MODEL={prefix}NAME"),
            ),
            None => findings.found(
                Mark::Good,
                &provider.name,
                &format!("choose a model with ATTACHE_MODEL={prefix}…"),
            ),
        }
    }
    findings.found(Mark::Good, "offline", "needs no key and no network");
    match unusable {
        Some(why) => findings.found(Mark::Bad, "new sessions", why),
        None => findings.found(Mark::Fact, "new sessions use", &models.default_model()),
    }
    findings.found(Mark::Fact, "prices", &format!("as of {}", models.prices_as_of()));
    for outdated in models.outdated(Zoned::now().date()) {
        findings.found(Mark::Bad, "outdated", &outdated);
    }
}

/// Tries each sandbox as the agent does; the first that works is used for commands.
async fn sandbox(findings: &mut Findings) {
    findings.part("sandbox for commands");
    for (name, tried) in
        [("bubblewrap", Sandbox::bubblewrap().await), ("Landlock", Sandbox::landlock().await)]
    {
        match tried {
            Ok(sandbox) => {
                findings.found(Mark::Good, name, "works");
                let limits = sandbox.limits();
                limits.iter().for_each(|limit| findings.found(Mark::Fact, "  limit", limit));
            }
            Err(error) => {
                error.reasons().for_each(|(_, why)| findings.found(Mark::Missing, name, why));
            }
        }
    }
    match Sandbox::find().await {
        Ok(sandbox) => {
            findings.found(Mark::Fact, "used", sandbox.name());
            findings.found(
                Mark::Fact,
                "  protects",
                "secrets, and files that affect how programs run (deep inside large projects it only reports changes to such files)",
            );
        }
        Err(_) => findings.found(
            Mark::Bad,
            "used",
            "none, so every command needs your permission; install the package bubblewrap",
        ),
    }
}

/// Shows the permission rules that a session in the current folder would use.
fn rules(findings: &mut Findings, settings: &Settings, all: bool) {
    findings.part("permission rules");
    match settings.permissions() {
        Some(file) => {
            let rules = Rules::read(&file);
            let shown = file.display().to_string();
            match file.exists() {
                true => rules_of(findings, "yours", &shown, &rules, all),
                false => findings.found(
                    Mark::Missing,
                    "yours",
                    &format!("none; \"always\" choices are stored in {shown}"),
                ),
            }
        }
        None => findings.found(
            Mark::Missing,
            "yours",
            "no file: \"always\" choices apply only in their session",
        ),
    }
    if let Some(rules) = env::current_dir().ok().and_then(|folder| Rules::of_project(&folder)) {
        rules_of(
            findings,
            "this project's",
            ".attache/permissions.toml: only rules that ask or deny apply",
            &rules,
            all,
        );
    }
}

fn rules_of(findings: &mut Findings, whose: &str, file: &str, rules: &Rules, all: bool) {
    let sentences: Vec<String> = rules.sentences().collect();
    let count = match sentences.len() {
        0 => "no rules".to_owned(),
        count if count > FEW_RULES && !all => format!("{count} rules; -v shows them"),
        count => counted(count, "rule"),
    };
    let (mark, but) = match rules.faults().is_empty() {
        true => (Mark::Good, ""),
        false => (Mark::Bad, "; it allows nothing until you fix it"),
    };
    findings.found(mark, whose, &format!("{file}  ({count}{but})"));
    for fault in rules.faults() {
        findings.found(Mark::Bad, "", &fault.to_string());
    }
    if all || sentences.len() <= FEW_RULES {
        sentences.iter().for_each(|sentence| findings.found(Mark::Fact, "", sentence));
    }
}

fn limits(findings: &mut Findings) {
    findings.part("limits");
    let pipe = fs::read_to_string("/proc/sys/fs/pipe-max-size")
        .ok()
        .and_then(|text| text.trim().parse::<u64>().ok());
    match pipe {
        Some(bytes) if bytes >= 1 << 20 => {
            findings.found(Mark::Good, "pipe", &format!("up to {} KiB", bytes >> 10))
        }
        Some(bytes) => findings.found(
            Mark::Fact,
            "pipe",
            &format!("up to {} KiB; 1024 would be faster", bytes >> 10),
        ),
        None => findings.found(Mark::Fact, "pipe", "not known"),
    }
    // SAFETY: an `rlimit` consists of two integers, for which zero is valid.
    let mut files: libc::rlimit = unsafe { std::mem::zeroed() };
    // SAFETY: `files` is a valid `rlimit`.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut files) } == 0 {
        let what = if files.rlim_cur < 256 {
            format!("{}; agents may need more", files.rlim_cur)
        } else {
            files.rlim_cur.to_string()
        };
        findings.found(Mark::Fact, "open files", &what);
    }
}
