//! How many connections a device may open.

use crate::raw_requests::{Raw, exchanged};
use crate::server::{Server, TOKEN};
use reqwest::Method;
use serde_json::json;

/// The number of connections of one device.
const MOST: usize = 32;

#[tokio::test]
async fn one_device_cannot_keep_the_others_out() {
    let server = Server::start().await;
    let mut open = Vec::new();
    for _ in 0..MOST {
        open.push(Raw::new(&server, TOKEN).initialized().await);
    }
    let call = json!({"jsonrpc":"2.0","id":0,"method":"initialize",
        "params":{"protocolVersion":1,"clientCapabilities":{}}});
    let more = Raw::new(&server, TOKEN);
    let refused = more.post(&call).send().await.unwrap();
    assert_eq!(refused.status(), 503);
    assert!(refused.text().await.unwrap().contains("this device has too many"));
    let upgrade = format!(
        "GET /acp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n\
         Upgrade: websocket\r\nConnection: close, Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    assert!(exchanged(&server, &upgrade).await.starts_with("HTTP/1.1 503"));
    Raw::new(&server, "two").initialized().await;

    assert_eq!(Raw::status(open[0].request(Method::DELETE)).await, 202);
    // The connection ends a little later.
    while Raw::status(more.post(&call)).await == 503 {
        tokio::task::yield_now().await;
    }
}
