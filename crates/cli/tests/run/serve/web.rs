//! The HTTP server of a hub: the page, devices, and remote ACP with this program as the client.

use super::hub::Home;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// Sends a request over a connection of its own, and returns the whole response.
fn request(url: &str, head: &str, headers: &[&str], body: &str) -> String {
    let host = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let length = body.len();
    write!(
        stream,
        "{head} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\
         {headers}\r\n{body}"
    )
    .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

fn has_status(response: &str, status: u16) -> bool {
    response.starts_with(&format!("HTTP/1.1 {status} "))
}

#[test]
fn devices_log_in_get_scopes_and_lose_them() {
    let home = Home::new();
    let hub = home.start(&["serve", "--port", "0", "--json"]);
    let described = hub.first_line();
    let url = described["url"].as_str().unwrap();
    assert_eq!(home.status()["page"], url);
    let page = request(url, "GET /", &[], "");
    assert!(has_status(&page, 200) && page.contains("content-security-policy"), "{page}");
    assert!(has_status(&request(url, "GET /acp", &[], ""), 401));

    let devices = |arguments: &[&str]| -> Value {
        let ended = home.run(&[&["serve", "devices", "--json"], arguments].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        serde_json::from_str(&ended.stdout).unwrap()
    };
    let login = devices(&["add", "--scope", "watch"])["login"].as_str().unwrap().to_owned();
    let code = login.strip_prefix(&format!("{url}/login#")).unwrap();
    let body = json!({ "code": code, "name": "phone\u{1b}[2J" }).to_string();
    let origin = format!("Origin: {url}");
    let log_in = || request(url, "POST /login", &[&origin], &body);
    let logged_in = log_in();
    assert!(has_status(&logged_in, 200), "{logged_in}");
    assert!(has_status(&log_in(), 401), "a code counts once");
    let device = devices(&[])["devices"][0].clone();
    assert_eq!(device["scope"], "watch");
    assert!(!device["name"].as_str().unwrap().contains('\u{1b}'), "{device}");

    let id = device["id"].as_str().unwrap();
    assert_eq!(devices(&["grant", id, "control"])["devices"][0]["scope"], "control");
    let granted = devices(&["grant", id, "--protected-files", "yes"])["devices"][0].clone();
    assert_eq!([&granted["scope"], &granted["protected_files"]], [&json!("control"), &json!(true)]);
    let shown = home.run(&["serve", "devices"]).stdout;
    assert!(shown.contains("(also protected files)"), "{shown}");
    let withdrawn =
        devices(&["grant", id, "watch", "--protected-files", "no"])["devices"][0].clone();
    assert_eq!(withdrawn["protected_files"], false);
    home.run(&["serve", "devices", "grant", id]).failed(2, &["required"]);
    assert_eq!(devices(&["revoke", id])["devices"], json!([]));
    home.run(&["serve", "devices", "revoke", id]).failed(3, &["there is no device"]);
    let listed = home.run(&["serve", "devices"]);
    assert!(listed.stdout.contains("attache serve devices add"), "{listed:?}");
}

#[test]
fn a_hub_without_a_port_has_no_devices() {
    let home = Home::new();
    let hub = home.start(&["serve", "--json"]);
    assert!(hub.first_line()["url"].is_null());
    home.run(&["serve", "devices", "add"]).failed(3, &["attache serve --port"]);
}

#[test]
fn this_program_uses_the_hub_as_a_remote_agent() {
    let home = Home::new();
    let folder = home.path();
    let arguments = ["serve", "--port", "0", "--json", "--folder", folder.to_str().unwrap()];
    let hub = home.start(&arguments);
    let described = hub.first_line();
    let (url, token) = (described["url"].as_str().unwrap(), described["token"].as_str().unwrap());
    let run = |address: &str, token: &str| {
        let mut command = home.attache(&["run", "--agent", address, "what can you do?"]);
        crate::project::Ended::from(command.env("ATTACHE_TOKEN", token).output().unwrap())
    };
    for address in [format!("{url}/acp"), format!("{}/acp", url.replace("http", "ws"))] {
        let ended = run(&address, token);
        assert_eq!(ended.code, Some(0), "{address}: {ended:?}");
        assert!(ended.stdout.contains("offline"), "{address}: {ended:?}");
        let refused = run(&address, "not-the-token");
        assert_ne!(refused.code, Some(0), "{address}: {refused:?}");
        let shown = refused.stderr + &refused.stdout;
        assert!(!shown.contains("not-the-token") && shown.contains("token"), "{address}: {shown}");
    }
}
