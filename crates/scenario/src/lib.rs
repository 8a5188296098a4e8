//! Conversations as Markdown files, and a raw peer that plays them.
//!
//! A scenario is a document: a heading that says what holds, prose that says why and cites the rules, and blocks of lines that are played
//! in order against the side under test, whatever it is made of: our agent, our client, or a foreign one.
//!
//! | line | meaning |
//! |---|---|
//! | `-> TEXT` | the raw peer sends this line, exactly; it need not be JSON, and may be blank. Lines that follow each other go out in one write |
//! | `<- JSON` | the next line of the side under test matches this pattern |
//! | `<~ JSON` | some later line matches; what comes before it is passed over |
//! | `->\|` | the raw peer closes its end |
//! | `<-\|` | the side under test closes its end, with nothing more said |
//!
//! A pattern is JSON. An object matches one that has at least its members; arrays and scalars match as a whole. `"$name"` matches
//! anything the first time and the same thing afterwards; in a sent line it stands for what was matched. `"*"` matches anything that
//! is there. `$name` works within a sent string too.
//!
//! This crate knows JSON lines and nothing of ACP: it must be able to say what no client or agent would.

mod pattern;
mod play;
mod read;

pub use pattern::Bindings;
pub use play::{Failure, play};
pub use read::{Scenario, Step};
