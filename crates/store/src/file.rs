//! The files of a store: their paths, and creating, locking and opening them.

pub(crate) mod connect;
pub(crate) mod failure;
pub(crate) mod lock;
pub(crate) mod make;
pub(crate) mod schema;
pub(crate) mod store_files;
