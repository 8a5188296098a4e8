//! Conversations as Markdown files, and a raw peer that plays them.
//!
//! A scenario has a heading that states the expected behaviour, prose that gives the reason and
//! cites the rules, and blocks of lines that are played in order against the side under test: our
//! agent, our client, or another program.
//!
//! | line | meaning |
//! |---|---|
//! | `-> TEXT` | the raw peer sends this line, exactly; it need not be JSON, and may be blank. Consecutive lines are sent in one write |
//! | `<- JSON` | the next line of the side under test matches this pattern |
//! | `<~ JSON` | some later line matches; lines before it are ignored |
//! | `<& JSON` | the same, but consecutive patterns match in any order, each a different line |
//! | `<! JSON` | from here to the end of the scenario no line matches |
//! | `->\|` | the raw peer closes its end |
//! | `<-\|` | the side under test closes its end without another line |
//! | `<~\|` | it closes its end after any number of lines |
//!
//! A pattern is JSON. An object matches an object that has at least its members. Arrays and scalars
//! match as a whole, but an array that begins with `"..."` matches an array that contains the other
//! items in this order. `"$name"` matches anything the first time and the same value afterwards; in
//! a sent line it is replaced by that value. Inside a string, `$name` is replaced by the text of
//! its value, which must exist. A name consists of letters, digits and `_`. `"*"` matches any value
//! that is present.
//!
//! ```
//! use attache_scenario::Scenario;
//!
//! let text = "## A call has one answer\n\
//! RPC-15.\n\
//! ```acp\n\
//! -> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"foo/bar\"}\n\
//! <- {\"id\":1,\"error\":{\"code\":-32601}}\n\
//! <! {\"id\":1}\n\
//! ```\n";
//! let scenarios = Scenario::read_all(text)?;
//! assert_eq!(scenarios[0].rules, ["RPC-15"]);
//! # Ok::<(), attache_scenario::Malformed>(())
//! ```
//!
//! If the play waits for the reply to a call and a different reply to that call arrives, the play
//! fails at once.
//!
//! This crate knows JSON-RPC lines but nothing about ACP, so that it can send lines that no client
//! or agent would send.

mod pattern;
mod play;
mod read;

pub use pattern::Bindings;
pub use play::{Failure, play};
pub use read::{Malformed, Scenario, Step};
