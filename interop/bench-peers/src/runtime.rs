//! The two runtimes a user of the SDK has.

use tokio::runtime::{Builder, Runtime};

/// `RT=multi`: what `#[tokio::main]` gives, with two workers. Else one thread.
///
/// # Panics
/// When the system gives no thread or no reactor.
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
