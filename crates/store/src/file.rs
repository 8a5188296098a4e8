//! The files of a store: where they are, and how they are made, locked and opened.

pub(crate) mod connect;
pub(crate) mod failure;
pub(crate) mod lock;
pub(crate) mod make;
pub(crate) mod schema;
pub(crate) mod store_files;
