//! Measures how long a program takes from its start to its first byte of output, with and without
//! the guardian. Prints the medians of interleaved starts of a program that writes one line and
//! exits.
//!
//! `cargo run --release -p attache-host --example spawn_time`

use std::error::Error;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use attache_host::Launch;
use tokio::io::AsyncReadExt;

const STARTS: usize = 500;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut guarded, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let start = Instant::now();
        let mut child = Launch::new("/bin/echo").start()?;
        child.take_stdout().ok_or("no stdout")?.read_u8().await?;
        guarded.push(start.elapsed());
        child.wait().await;

        let start = Instant::now();
        let mut child = Command::new("/bin/echo")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        child.stdout.take().ok_or("no stdout")?.read_exact(&mut [0])?;
        plain.push(start.elapsed());
        child.wait()?;
    }
    writeln!(
        std::io::stdout(),
        "start to first byte, medians of {STARTS}: guarded {:?}, plain {:?}",
        median(guarded),
        median(plain)
    )?;
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
