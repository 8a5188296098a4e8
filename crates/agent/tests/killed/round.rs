//! Four sessions stream, until the agent is killed.

use crate::known_session::KnownSession;
use crate::process::Process;
use crate::script::Random;

pub(crate) struct Round<'r> {
    process: &'r mut Process,
    sessions: &'r mut [KnownSession],
    random: &'r mut Random,
}

impl<'r> Round<'r> {
    pub(crate) fn new(
        process: &'r mut Process,
        sessions: &'r mut [KnownSession],
        random: &'r mut Random,
    ) -> Self {
        Self { process, sessions, random }
    }

    /// Processes all output of the agent to its end. Until the agent is killed, answers its
    /// requests and makes new calls.
    pub(crate) fn stream(self) {
        let Self { process, sessions, random } = self;
        sessions.iter_mut().for_each(|session| session.prompt(process));
        while let Some(message) = process.next() {
            let session = sessions.iter_mut().find(|session| session.is_about(&message)).unwrap();
            session.take(process, message);
            if !process.is_alive() {
                continue;
            }
            if !session.is_prompted() {
                session.prompt(process);
            }
            let chosen = random.below(40);
            let index = usize::try_from(chosen % 4).unwrap();
            match chosen / 4 {
                0 => sessions[index].ask_style(process, format!("v{}", random.below(10))),
                1 => sessions[index].ask_title(process, &format!("Title {}", random.below(1000))),
                _ => {}
            }
        }
        assert!(!process.is_alive(), "the agent ended by itself");
    }
}
