//! Counts the work of the parser for tests, which prove that it is linear.

#[cfg(test)]
thread_local! {
    static BYTES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts bytes that something reads to make spans.
pub(super) fn count(bytes: usize) {
    #[cfg(test)]
    BYTES.with(|counted| counted.set(counted.get() + bytes));
    #[cfg(not(test))]
    let _ = bytes;
}

/// Returns the number of bytes since the last call.
#[cfg(test)]
pub(super) fn take() -> usize {
    BYTES.with(|counted| counted.take())
}
