//! `!`: shell commands of the person.

use crate::app::shell_run::{self, ShellRun};
use crate::app::slot::{Slot, SlotContent};
use crate::app::state::{App, Done, now};
use crate::transcript::Scroll;

impl App {
    /// Runs a shell command in the folder of the session, and shows its output as a row.
    pub(crate) fn run_shell(&mut self, line: &str) {
        let size = (self.area.width.saturating_sub(8).max(20), self.area.height.max(10));
        let wake = self.wake.clone();
        let Some(slot) = self.slots.get_mut(self.focus) else { return };
        let folder = slot.cwd.clone();
        let SlotContent::Open(conversation) = &mut slot.content else {
            return self.notices.warning("the session is not open yet: wait a moment");
        };
        let (after, number) = (conversation.rows_so_far(), conversation.shell.len());
        let run = ShellRun::new(line, after, number, now());
        let (line, output) = (run.line().to_owned(), run.output());
        conversation.shell.push(run);
        conversation.transcript.scroll(Scroll::End);
        self.tasks.spawn(async move {
            shell_run::run(line, &folder, size, output, wake, now).await;
            Done::Nothing
        });
    }
}

impl Slot {
    /// Whether a command of the person wrote something.
    pub(crate) fn shell_grew(&mut self) -> bool {
        self.conversation_mut().is_some_and(|it| it.shell.iter().any(ShellRun::grew))
    }

    /// Stops the commands that run; `false` if none runs.
    pub(crate) fn stop_shell(&mut self) -> bool {
        let Some(conversation) = self.conversation_mut() else { return false };
        // All are stopped, not only the first one that runs.
        conversation.shell.iter().filter(|run| run.stop()).count() > 0
    }
}
