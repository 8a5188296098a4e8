//! The HTTP server for the page and for remote ACP: HTTP/1.1 and HTTP/2, with or without TLS.
//!
//! Every request passes these checks, in this order:
//!
//! 1. The `Host` must be a name of this server ([`HttpOptions::hosts`]), so that a page of another
//!    name cannot reach it by changing its DNS entry.
//! 2. An `Origin` must be exactly that host's. Without one, cookies do not count.
//! 3. Everything below `/acp` needs a login: the token of a program as a bearer, or the cookie of a
//!    device together with the secret of one of its tabs. Cookies do not distinguish ports, so
//!    another program on this host may know the cookie; it cannot know the secret.
//!
//! The secret of a tab is sent in the header `Attache-Tab`. A WebSocket of a browser has no
//! headers, so it offers the subprotocols `acp` and `attache.SECRET`, and gets `acp`.
//!
//! | Request | Login | Purpose |
//! |---|---|---|
//! | `GET /login` | none | The page that trades the code in its fragment. |
//! | `POST /login` | the code | Adds a device: `{"code", "name"}` → cookie, `{"tab", "originKey"}`. |
//! | `POST /acp/tab` | cookie and `Attache-Origin-Key` | A secret for another tab: `{"tab"}`. |
//! | `/acp…` | full | Remote ACP ([`HttpServer::with_acp`]). |
//! | `GET /…` | none | The files of the page, which hold no secrets. |
//!
//! The page keeps the secret of the tab in `sessionStorage` as `attache.secret`, and the origin key
//! in `localStorage` as `attache.originKey`. Only the page's own origin can read them.

mod access_log;
mod allowed_hosts;
mod authenticate;
mod connections;
mod credentials;
mod guarded_stream;
mod login;
mod login_text;
mod options;
mod origin;
mod origin_check;
mod request_body;
mod response_body;
mod router;
mod security_headers;
mod serve_connection;
mod server;
mod state;
mod static_files;
mod throttle;
mod tls;

pub use allowed_hosts::HostError;
pub use login_text::login_text;
pub use options::{HttpOptions, TlsFiles};
pub use origin::Origin;
pub use server::{BindError, HttpServer};
