//! The protocol's tables: every method, every update and every gated field.
//!
//! The traits `Agent` and `Client`, dispatch, gating, the support matrix and the judge's coverage
//! are derived from these rows. To add a method, add its row to
//! [`each_method!`](crate::each_method).
//!
//! - [`METHODS`], [`UPDATES`], [`FIELDS`]: the tables, with [`Row`], [`UpdateRow`], [`FieldRow`].
//! - [`Method`], [`Call`], [`Notification`]: a method as a type, for example [`SessionPrompt`].
//! - [`Gate`]: the capability that the receiver must have advertised.
//! - [`v2`]: the tables of version 2. Those here are of version 1.
//! - [`Side`], [`Receiver`], [`Kind`], [`Scope`], [`Stability`], [`Deadline`]: attributes of rows.

mod attributes;
mod fields;
mod gate;
mod row;
mod rows;
mod table;
mod updates;
pub mod v2;

pub use attributes::{Deadline, Kind, Receiver, Scope, Side, Stability};
pub use fields::{FIELDS, FieldRow};
pub use gate::{GENERAL_GATE_RULE, Gate};
pub use row::{Call, Method, Notification, Row};
pub use rows::*;
pub use updates::{UPDATES, UpdateRow};
