//! A process tree in a job object.
//!
//! The program starts suspended, is put into the job and then runs, so each descendant is in the
//! job too. The job ends with its only handle, which this process has, so no process of the tree
//! outlives this one.

use std::io;
use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_SUSPENDED,
};

use crate::launch::Launch;
use crate::process::child_pipes::Pipes;
use crate::process::exit::Exit;
use crate::process::exit_watch::ExitWatch;
use crate::process::system::job::{Job, resume};

/// How long the rest of a killed tree is waited for.
const GIVE_UP_AFTER: Duration = Duration::from_secs(10);

/// How often the rest of a killed tree is counted.
const COUNT_EVERY: Duration = Duration::from_millis(5);

/// A running tree. Dropping it kills the whole tree. The drop does not wait; a thread of the tree
/// waits for the program, with or without a runtime.
#[derive(Debug)]
pub(crate) struct Tree {
    job: Arc<Job>,
    pid: u32,
    end: ExitWatch,
}

impl Tree {
    /// Starts the launch in a job. `stdio` sets the three streams, and the second returned value
    /// contains the requested pipes. Errors leave no process behind.
    pub(crate) fn start(
        launch: &Launch,
        stdio: impl FnOnce(&mut Command),
    ) -> io::Result<(Tree, Pipes)> {
        // The path is looked up here, because the system would also search this program's folder
        // and the current one. The program gets an invisible console of its own: it must not write
        // to the terminal of this process.
        let program = launch.find().ok_or(io::ErrorKind::NotFound)?;
        let mut command = launch.command(program.as_os_str());
        command.creation_flags(CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
        stdio(&mut command);
        let job = Arc::new(Job::new()?);
        let mut program = command.spawn()?;
        drop(command);
        if let Err(error) = job.take(&program).and_then(|()| resume(&program)) {
            // It is not in the job, or suspended in it.
            program.kill()?;
            program.wait()?;
            return Err(error);
        }
        let (pid, pipes) = (program.id(), Pipes::of(&mut program));
        let tree = Tree { job, pid, end: ExitWatch::new() };
        tree.wait_on_a_thread(program)?;
        Ok((tree, pipes))
    }

    /// The program's process id. Do not end it by this number: it may have been reused.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns a handle that reports how the tree ended.
    pub(crate) fn end(&self) -> &ExitWatch {
        &self.end
    }

    /// Kills the whole tree: no event reaches a program that does not share our console.
    pub(crate) fn terminate(&self) {
        self.kill();
    }

    /// Like [`Tree::terminate`].
    pub(crate) fn interrupt(&self) {
        self.kill();
    }

    /// Kills the whole tree. Returns at once. Idempotent.
    pub(crate) fn kill(&self) {
        self.job.terminate();
    }

    /// Waits for the program, and then ends its descendants. If there is no thread, the tree is
    /// killed when it is dropped.
    fn wait_on_a_thread(&self, mut program: Child) -> io::Result<()> {
        let (job, end) = (self.job.clone(), self.end.clone());
        let wait = move || {
            let exit = program.wait().map_or(Exit::UNKNOWN, Exit::from);
            end_rest(&job);
            end.ended(exit);
        };
        thread::Builder::new().name("attache-wait".into()).spawn(wait).map(drop)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Ends the descendants of a program that ended, and waits until they are gone.
fn end_rest(job: &Job) {
    let deadline = Instant::now() + GIVE_UP_AFTER;
    job.terminate();
    while !job.is_empty().unwrap_or(true) && Instant::now() < deadline {
        thread::sleep(COUNT_EVERY);
    }
}
