//! The HTTP server of a hub.

use super::arguments::Web;
use super::place::HubPlace;
use crate::exit::{Exit, Failure};
use attache_serve::devices::Devices;
use attache_serve::http::{BindError, HttpOptions, HttpServer, TlsFiles, login_text};
use attache_serve::{SharedHub, page, remote};
use serde_json::{Map, Value};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

/// The HTTP server of a hub, which listens and serves nothing yet.
pub(super) struct WebServer {
    pub(super) server: HttpServer,
    devices: Arc<Devices>,
}

impl WebServer {
    /// Listens as the arguments say; `None` if they ask for no server.
    pub(super) fn bind(
        web: &Web,
        place: &HubPlace,
        shared: &Arc<SharedHub>,
    ) -> Result<Option<Self>, Failure> {
        let Some(port) = web.port else { return Ok(None) };
        let devices = Devices::open(&place.devices()).map_err(Failure::usage)?;
        let devices = Arc::new(devices);
        shared.set_devices(devices.clone());
        let tls = web.tls_cert.clone().zip(web.tls_key.clone());
        let options = HttpOptions {
            address: SocketAddr::new(web.listen.unwrap_or(Ipv4Addr::LOCALHOST.into()), port),
            listen: web.listen.is_some(),
            insecure: web.insecure,
            tls: tls.map(|(certificate, key)| TlsFiles { certificate, key }),
            hosts: web.hosts.clone(),
            page: page::file,
            ..HttpOptions::default()
        };
        let server = HttpServer::bind(options, shared.clone(), devices.clone());
        let server = server.map_err(not_bound)?.with_acp(remote::acp_routes());
        Ok(Some(Self { server, devices }))
    }

    /// The origin of the page.
    pub(super) fn origin(&self) -> String {
        self.server.origin().to_string()
    }

    /// Returns the way to log in, for a person at this machine.
    pub(super) fn login(&self, web: &Web) -> Result<String, Failure> {
        let code = self.devices.new_code(web.scope.into()).map_err(Failure::usage)?;
        Ok(login_text(&self.server.login_address(&code)))
    }

    /// Adds what programs need to connect.
    pub(super) fn describe(&self, object: &mut Map<String, Value>) {
        object.insert("url".to_owned(), self.origin().into());
        object.insert("token".to_owned(), self.devices.token().expose().into());
    }
}

/// Returns the folders below which devices may open sessions.
pub(super) fn folders(web: &Web) -> Result<Vec<PathBuf>, Failure> {
    let folder = |given: &PathBuf| {
        let folder = given.canonicalize().ok().filter(|folder| folder.is_dir());
        folder.ok_or_else(|| {
            let shown = given.display();
            Failure::usage(format!("--folder: {shown} is not a folder that can be opened"))
        })
    };
    web.folders.iter().map(folder).collect()
}

fn not_bound(error: BindError) -> Failure {
    match error {
        BindError::Io(..) => Failure::new(Exit::CannotStart, error),
        error => Failure::usage(error),
    }
}
