//! What a client of version 2 knows about the turn.

/// The state of the turn that a client of version 2 was told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TurnShown {
    #[default]
    Idle,
    Running,
    WaitsForPerson,
}
