//! The two runtimes for users of the SDK.

use tokio::runtime::{Builder, Runtime};

/// Builds the runtime. If `RT` is `multi`, it is multi-threaded like that of `#[tokio::main]`, but
/// with two workers; otherwise it has a single thread.
///
/// # Panics
/// Panics if the system provides no thread or no reactor.
pub fn from_environment() -> Runtime {
    let mut builder = if std::env::var("RT").is_ok_and(|kind| kind == "multi") {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(2);
        builder
    } else {
        Builder::new_current_thread()
    };
    builder.enable_all().build().expect("a runtime")
}
