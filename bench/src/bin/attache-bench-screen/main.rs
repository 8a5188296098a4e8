//! Measures a screen in a terminal of 120x40 cells: `FIGURE attache|codex|opencode FILE --
//! PROGRAM…`. It prints one JSON object. FILE has the stored sessions; other figures ignore it.
//!
//! `start`: the first useful paint. `idle`: CPU, bytes and memory. `echo`: a key until it is shown.
//! `streams`: the same while four sessions stream. `lines` and `line`: a long answer. `stored ID`:
//! opens a stored session. `picker`: the rows of many sessions. `show`: prints the screen.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark stops at the first error"
)]

mod figures;
mod model;
mod process;
mod pty;
mod screens;

use figures::Run;
use screens::Screen;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let split = arguments.iter().position(|argument| argument == "--").unwrap();
    let program = arguments.split_off(split + 1);
    let run = Run::new(Screen::named(&arguments[1]), program, &arguments[2]);
    let report = match arguments[0].as_str() {
        "start" => run.start(),
        "idle" => run.idle(),
        "echo" => run.echo(),
        "streams" => run.streams(),
        "lines" => run.answer("bench: lines 20000 4000"),
        "line" => run.answer("bench: line 3000000 6000"),
        "stored" => run.stored(&arguments[3]),
        "picker" => run.picker(),
        "show" => run.show(),
        other => panic!("no figure {other}"),
    };
    println!("{report}");
}
