//! The example agent of the official SDK, as its authors wrote it: it answers `initialize` and
//! nothing else.

include!(env!("SIMPLE_AGENT"));
