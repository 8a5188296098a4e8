//! The unchanged example agent of the official SDK, which answers only `initialize`.

include!(env!("SIMPLE_AGENT"));
