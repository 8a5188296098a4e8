//! The limits on the length of arguments.

/// The length of an argument and its limit, in bytes. The limits keep every message small.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Length {
    what: &'static str,
    bytes: usize,
    most: usize,
}

impl Length {
    pub(crate) fn of_path(path: &str) -> Self {
        Self { what: "path", bytes: path.len(), most: 4096 }
    }

    pub(crate) fn of_pattern(pattern: &str) -> Self {
        Self { what: "pattern", bytes: pattern.len(), most: 1024 }
    }

    pub(crate) fn of_command(command: &str) -> Self {
        Self { what: "command", bytes: command.len(), most: 16 * 1024 }
    }

    pub(crate) fn of_replacement(bytes: usize) -> Self {
        Self { what: "replacement", bytes, most: 16 * 1024 }
    }

    pub(crate) fn of_text(bytes: usize) -> Self {
        Self { what: "text", bytes, most: 1024 * 1024 }
    }

    pub(crate) fn of_plan(bytes: usize) -> Self {
        Self { what: "plan", bytes, most: 16 * 1024 }
    }

    pub(crate) fn of_words(bytes: usize) -> Self {
        Self { what: "task, question or reason", bytes, most: 16 * 1024 }
    }

    pub(crate) fn of_address(address: &str) -> Self {
        Self { what: "address", bytes: address.len(), most: 4096 }
    }

    pub(crate) fn of_arguments(bytes: usize) -> Self {
        Self { what: "arguments", bytes, most: 1024 * 1024 }
    }

    /// The sentence for the model, if the argument is too long.
    pub(super) fn too_long(self) -> Option<String> {
        let Self { what, bytes, most } = self;
        (bytes > most).then(|| format!("the {what} has {bytes} bytes and the limit is {most}"))
    }
}
