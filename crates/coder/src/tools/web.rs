//! Tools that read the web.

pub(crate) mod fetch;
pub(crate) mod page;
pub(crate) mod public_address;
