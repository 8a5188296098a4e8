//! The environment of the person's login shell. A program that was started from a desktop or by a
//! service has a different environment, whose `PATH` usually lacks the folders where agents are
//! installed.

use attache_host::Launch;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long the shell may take. Some profiles wait for input.
const PATIENCE: Duration = Duration::from_secs(5);

/// The maximum size of the shell's output in bytes: the output of its profile, and the environment.
const LIMIT: usize = 1 << 20;

/// Marks the beginning and the end of the environment in the output of a shell.
const MARK: &str = "=attache-login-environment=";

/// Variables that describe the shell itself.
const OWN: [&str; 4] = ["_", "SHLVL", "PWD", "OLDPWD"];

/// Variables of this process that the login shell starts with, because a login sets them and a
/// profile does not. Names that begin with one of [`KEPT_BEGINS`] are kept too.
const KEPT: [&str; 15] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "SHELL",
    "SSH_AUTH_SOCK",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "__CF_USER_TEXT_ENCODING",
];

/// The beginnings of the names of variables that the login shell starts with.
const KEPT_BEGINS: [&str; 3] = ["ATTACHE_", "LC_", "XDG_"];

type Variables = Vec<(OsString, OsString)>;

/// The environment that the person's programs have after a login, whatever started this process.
#[derive(Clone)]
pub struct LoginEnvironment(Arc<Variables>);

/// Why the environment of a login is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLoginEnvironment {
    /// `SHELL` is not set.
    NoShell,
    /// The shell did not start, failed, or did not answer in time.
    NoAnswer,
}

impl LoginEnvironment {
    /// Runs the person's login shell (`SHELL`) for at most 5 s and returns its environment. The
    /// shell gets only those variables of this process that belong to the login. No process is
    /// left behind. Call it inside a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    /// Returns an error if there is no shell, or it does not answer in time.
    pub async fn read() -> Result<Self, NoLoginEnvironment> {
        let shell = env::var_os("SHELL").filter(|shell| !shell.is_empty());
        let shell = Launch::new(shell.ok_or(NoLoginEnvironment::NoShell)?).clear_env();
        let of_login = env::vars_os().filter(|(name, _)| is_of_login(name));
        let shell = of_login.fold(shell, |shell, (name, value)| shell.env(name, value));
        let asked = ask(shell, PATIENCE).await.ok_or(NoLoginEnvironment::NoAnswer)?;
        let is_own = |name: &OsStr| OWN.iter().any(|own| name == *own);
        Ok(Self(Arc::new(asked.into_iter().filter(|(name, _)| !is_own(name)).collect())))
    }

    /// Lets a program have this environment instead of that of this process. Variables that the
    /// launch sets or removes stay so.
    pub fn equip(&self, launch: Launch) -> Launch {
        self.0.iter().fold(launch.clear_env(), |launch, (name, value)| match launch.sets(name) {
            true => launch,
            false => launch.env(name, value),
        })
    }
}

/// Returns whether a variable belongs to the login, and not to the program that started this one.
fn is_of_login(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    KEPT.iter().any(|kept| name == *kept)
        || KEPT_BEGINS.iter().any(|begin| bytes.starts_with(begin.as_bytes()))
}

impl fmt::Debug for LoginEnvironment {
    /// Shows no values, which can be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

impl fmt::Display for NoLoginEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoShell => f.write_str("SHELL is not set"),
            Self::NoAnswer => {
                let limit = PATIENCE.as_secs();
                write!(f, "the login shell did not tell its environment within {limit} s")
            }
        }
    }
}

impl std::error::Error for NoLoginEnvironment {}

/// Returns the launch unchanged if its program is found. Otherwise, if the login shell finds the
/// program, adds the shell's `PATH` and those of its variables that this process does not have. The
/// shell is asked at most once in the life of this process, and only if it is needed.
pub(crate) async fn equipped(launch: Launch) -> Launch {
    let by_name = !launch.program().as_encoded_bytes().contains(&b'/');
    if !by_name || !launch.inherits_environment() || launch.find().is_some() {
        return launch;
    }
    let Some(shell) = env::var_os("SHELL").filter(|shell| !shell.is_empty()) else { return launch };
    static ASKED: OnceCell<Option<Variables>> = OnceCell::const_new();
    let asked = || ask(Launch::new(&shell), PATIENCE);
    match ASKED.get_or_init(asked).await {
        Some(variables) => with(launch, variables, |name| env::var_os(name).is_some()),
        None => launch,
    }
}

/// Adds these variables, except those that are already set, if the program is found with them.
fn with(launch: Launch, variables: &Variables, is_set: impl Fn(&OsStr) -> bool) -> Launch {
    let path = variables.iter().find(|(name, _)| name == "PATH");
    let found = path.is_some_and(|(_, path)| {
        Launch::new(launch.program()).env("PATH", path).find().is_some() && !launch.sets("PATH")
    });
    if !found {
        return launch;
    }
    let missing = variables.iter().filter(|(name, _)| name == "PATH" || !is_set(name));
    let missing = missing.filter(|(name, _)| !OWN.iter().any(|own| name == own));
    missing.fold(launch, |launch, (name, value)| match launch.sets(name) {
        true => launch,
        false => launch.env(name, value),
    })
}

/// Asks a shell for its environment after it has run its profile; `None` if it does not answer in
/// time. No process is left behind.
async fn ask(shell: Launch, patience: Duration) -> Option<Variables> {
    let tell = format!("printf %s {MARK}; env -0; printf %s {MARK}");
    let mut child = shell.args(["-l", "-i", "-c", &tell]).start().ok()?;
    let output = child.take_stdout()?;
    drop(child.take_stdin());
    let reading = async {
        let (mut printed, mut piece) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            output.readable().await.ok()?;
            match output.try_read(&mut piece) {
                Ok(0) => return None,
                Ok(length) => printed.extend_from_slice(piece.get(..length)?),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
                Err(_) => return None,
            }
            // Does not read to the end: a process that the profile started may hold the pipe open.
            if let Some(variables) = told(&printed) {
                return Some(variables);
            }
            if printed.len() > LIMIT {
                return None;
            }
        }
    };
    tokio::time::timeout(patience, reading).await.ok().flatten()
}

/// The environment in the output of a shell, once both marks are there.
fn told(printed: &[u8]) -> Option<Variables> {
    let mark = MARK.as_bytes();
    let find = |bytes: &[u8]| bytes.windows(mark.len()).position(|window| window == mark);
    let from = printed.get(find(printed)? + mark.len()..)?;
    let environment = from.get(..find(from)?)?;
    let variable = |entry: &[u8]| {
        let at = entry.iter().position(|byte| *byte == b'=').filter(|at| *at > 0)?;
        let (name, value) = (entry.get(..at)?, entry.get(at + 1..)?);
        Some((OsString::from_vec(name.to_vec()), OsString::from_vec(value.to_vec())))
    };
    Some(environment.split(|byte| *byte == 0).filter_map(variable).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    /// A shell whose profile is this script. The script is not executed itself: the system refuses
    /// to execute a file that is open for writing, and programs that other tests start may have
    /// inherited it for a moment.
    fn shell(folder: &Path, profile: &str) -> Launch {
        let path = folder.join("shell");
        fs::write(&path, format!("{profile}\nshift 2\nexec /bin/sh \"$@\"\n")).unwrap();
        Launch::new("/bin/sh").arg(path)
    }

    #[tokio::test]
    async fn a_profile_that_prints_noise_is_read_through() {
        let folder = tempfile::tempdir().unwrap();
        let profile =
            "echo Welcome; echo A=no >&2; export A='b\nc' B=; sleep 1000 & printf 'A=1\\0'";
        let variables = ask(shell(folder.path(), profile), Duration::from_secs(20));
        let variables = variables.await.unwrap();
        let of = |wanted: &str| {
            variables.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone())
        };
        assert_eq!((of("A"), of("B")), (Some("b\nc".into()), Some("".into())));
        assert!(of("PATH").is_some());
    }

    #[tokio::test]
    async fn a_profile_that_hangs_fails_or_never_ends_gives_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for profile in ["sleep 1000", "exit 3", "yes"] {
            let asked = ask(shell(folder.path(), profile), Duration::from_millis(500)).await;
            assert!(asked.is_none(), "{profile}");
        }
        assert!(ask(Launch::new("/no/such/shell"), PATIENCE).await.is_none());
    }

    #[test]
    fn only_missing_variables_are_added_and_only_if_they_help() {
        let folder = tempfile::tempdir().unwrap();
        let robot = folder.path().join("robot");
        fs::write(&robot, "").unwrap();
        fs::set_permissions(&robot, fs::Permissions::from_mode(0o755)).unwrap();
        let path: OsString = folder.path().into();
        let variables: Variables =
            [("PATH", path), ("KEY", "theirs".into()), ("HERE", "no".into()), ("PWD", "/".into())]
                .into_iter()
                .map(|(name, value)| (name.into(), value))
                .collect();
        let is_set = |name: &OsStr| name == "HERE";
        let equipped = |line: &str| with(Launch::parse(line).unwrap(), &variables, is_set);
        let launch = equipped("robot --acp");
        assert!(launch.find().is_some());
        assert!(launch.sets("KEY") && !launch.sets("HERE") && !launch.sets("PWD"));
        assert_eq!(equipped("KEY=mine robot").command_line().matches("KEY=").count(), 1);
        assert!(!equipped("no-such-program").sets("PATH"));
        assert!(
            equipped("PATH=/nowhere robot").find().is_none(),
            "an explicit PATH is not replaced"
        );
    }

    #[test]
    fn an_agent_gets_the_environment_of_the_login_and_what_its_launch_sets() {
        let variables = [("PATH", "/login"), ("KEY", "login")];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let login = LoginEnvironment(Arc::new(variables.into()));
        let launch = login.equip(Launch::new("agent").env("KEY", "mine"));
        assert!(!launch.inherits_environment());
        let line = launch.command_line();
        assert!(line.contains("PATH=/login") && line.contains("KEY=mine"), "{line}");
        assert_eq!(line.matches("KEY=").count(), 1, "{line}");
        assert_eq!(format!("{login:?}"), r#"["PATH", "KEY"]"#);
    }

    #[test]
    fn the_variables_of_an_editor_do_not_belong_to_the_login() {
        for name in ["HOME", "LC_TIME", "XDG_RUNTIME_DIR", "ATTACHE_STORE", "SSH_AUTH_SOCK"] {
            assert!(is_of_login(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "VSCODE_PID", "ELECTRON_RUN_AS_NODE", "VIRTUAL_ENV", "NODE_OPTIONS"] {
            assert!(!is_of_login(OsStr::new(name)), "{name}");
        }
    }
}
