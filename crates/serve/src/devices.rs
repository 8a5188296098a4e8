//! The devices that may reach the hub over TCP, and the token for programs.
//!
//! A person at this machine makes a *one-time code*, which a new device trades for its secrets. A
//! browser proves with two of them that it is the device: a cookie, which the browser sends to
//! every port of this host, and the secret of a tab, which only the page's own origin can read. The
//! [token](Devices::token) is for programs, and has all rights.
//!
//! Everything is stored in one private folder. The secrets of devices are stored as hashes.

mod clock;
mod device;
mod one_time_codes;
mod private_folder;
mod registry;
mod secret;
mod tabs;
#[cfg(test)]
mod tests;

pub use clock::{Clock, SystemClock};
pub use device::{Device, DeviceError, Grant};
pub use one_time_codes::CODE_LIFETIME;
pub use registry::{Devices, Login, NewDevice};
