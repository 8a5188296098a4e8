//! Conversations as Markdown files, and a raw peer that plays them.
//!
//! A scenario is a document: a heading that says what holds, prose that says why and cites the
//! rules, and blocks of lines that are played in order against the side under test, whatever it is
//! made of: our agent, our client, or a foreign one.
//!
//! | line | meaning |
//! |---|---|
//! | `-> TEXT` | the raw peer sends this line, exactly; it need not be JSON, and may be blank. Lines that follow each other go out in one write |
//! | `<- JSON` | the next line of the side under test matches this pattern |
//! | `<~ JSON` | some later line matches; what comes before it is passed over |
//! | `<& JSON` | the same, but those that follow each other match in any order, each its own line |
//! | `<! JSON` | from here to the end of the scenario no line matches, whatever else reads it |
//! | `->\|` | the raw peer closes its end |
//! | `<-\|` | the side under test closes its end, with nothing more said |
//! | `<~\|` | it closes its end, whatever it says before |
//!
//! A pattern is JSON. An object matches one that has at least its members; arrays and scalars match
//! as a whole, but an array that begins with `"..."` matches one that has its further items in this
//! order, among others. `"$name"` matches anything the first time and the same thing afterwards; in
//! a sent line it stands for what was matched. Within a string `$name` stands for the text of what
//! it was, and it must have been something, in patterns and sent lines. A name is made of letters,
//! digits and `_`. `"*"` matches anything that is there.
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
//! Where the answer to a call is waited for, another answer to the same call fails at once.
//!
//! This crate knows JSON-RPC lines and nothing of ACP: it must be able to say what no client or
//! agent would.

mod pattern;
mod play;
mod read;

pub use pattern::Bindings;
pub use play::{Failure, play};
pub use read::{Malformed, Scenario, Step};
