//! Images, audio and documents: what they are by their content, the limits of providers, and the
//! choice of what a request may contain.
//!
//! A provider refuses a whole request because of one bad image, and goes on refusing while the
//! image is part of the conversation. So everything is checked here, right before each request,
//! whatever its origin: a prompt, a tool, a server's tool, or a stored session. Nothing is decoded
//! except base64, and sizes come from headers, so that a small file cannot take much memory.

mod content;
mod examine;
mod fit;
mod limits;
mod picture;
mod sound;

pub use content::part_of;
pub use fit::{LeftOut, fit_media};
pub use limits::MediaLimits;
pub use picture::Picture;
