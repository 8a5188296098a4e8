//! Repeated starts, prompts and ends of every kind leave nothing behind.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]
#![cfg(target_os = "linux")]

#[path = "../../host/tests/marker/marker.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod marker;
#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "client/scripted_agent.rs"]
mod scripted_agent;
#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "hub/started.rs"]
mod started;

use attache_client::{AgentSource, Hub, HubOptions, SessionState};
use attache_host::Launch;
use scripted_agent::soon;
use started::{idle, until};

const CYCLES: usize = 100;

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Invariant 4.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_cycles_of_start_prompt_and_end_leave_no_process_and_no_open_file() {
    let marker = marker::fresh();
    let folder = tempfile::tempdir().unwrap();
    let mut before = 0;
    for cycle in 0..CYCLES {
        let hub = Hub::new(HubOptions::default());
        let (state, mark) = (folder.path().to_owned(), marker.clone());
        let source = AgentSource::launch(move || {
            let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/agent.sh");
            let launch = Launch::new("/bin/sh").arg(script).args(["none", "none", "resume"]);
            launch.arg(&state).env(marker::NAME, &mark)
        });
        let agent = hub.add("a", source).unwrap();
        let session = soon(hub.open("a", folder.path()).into_future()).await.unwrap();
        session.send("go").unwrap();
        match cycle % 4 {
            // The cycle ends in the middle of this prompt.
            0 => drop(hub),
            1 => {
                idle(&session).await;
                soon(hub.close()).await;
            }
            2 => {
                agent.restart();
                until(&session, |session| matches!(session.state(), SessionState::Starting)).await;
                drop(hub);
            }
            _ => {
                idle(&session).await;
                soon(session.close()).await.unwrap();
                drop(hub);
            }
        }
        drop((session, agent));
        if cycle == 3 {
            marker::expect_none(&marker);
            before = open_files();
        }
    }
    marker::expect_none(&marker);
    marker::eventually("zombies are left", || marker::zombies().is_empty());
    marker::eventually("files were left open", || open_files() <= before);
}
