//! Masks the secrets in a message of the protocol.
//!
//! Secrets have known places (`attache_protocol::Secret`): values of environment variables and
//! headers, and keys of providers. The mask finds them by member names in any message, so that it
//! also covers misplaced secrets. If in doubt, it masks too much rather than too little.

/// The replacement for a secret.
const HIDDEN: &str = "\"<hidden>\"";

/// Members whose whole value is secret. Names are compared in lower case, without `_` and `-`.
const SECRET: [&str; 24] = [
    "env",
    "headers",
    "proxyconfig",
    "apikey",
    "apitoken",
    "token",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "authtoken",
    "bearertoken",
    "sessiontoken",
    "password",
    "passwd",
    "secret",
    "clientsecret",
    "secretkey",
    "privatekey",
    "authorization",
    "proxyauthorization",
    "cookie",
    "setcookie",
    "credential",
    "credentials",
];

/// Members that contain an address. Its user and its query may be secret.
const ADDRESS: [&str; 3] = ["url", "baseurl", "endpoint"];

/// An object or list that is being read.
struct Container {
    is_object: bool,
    /// Whether the container is an element of a list.
    is_element: bool,
    /// Whether all strings in the container are secret.
    hidden: bool,
    /// The name of the current member in the form used for comparison. For a list, the name of the
    /// member that contains it.
    key: String,
    /// Whether the next string is a key of the object.
    key_is_next: bool,
    /// Whether the next argument in the list is the value of a secret option.
    value_is_next: bool,
}

/// Returns the message with its secrets masked and all other bytes unchanged. The message must be
/// JSON.
pub fn masked(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut places: Vec<Container> = Vec::new();
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' { string_length(rest) } else { first.len_utf8() };
        let (token, after) = rest.split_at(length);
        rest = after;
        match first {
            '{' | '[' => {
                places.push(inside(places.last(), first == '{'));
                out.push_str(token);
            }
            '}' | ']' => {
                places.pop();
                out.push_str(token);
            }
            '"' => match places.last_mut() {
                Some(place) => string(place, token, &mut out),
                None => out.push_str(token),
            },
            ',' => {
                if let Some(place) = places.last_mut() {
                    place.key_is_next = place.is_object;
                }
                out.push_str(token);
            }
            _ => out.push_str(token),
        }
    }
    out
}

fn inside(outer: Option<&Container>, is_object: bool) -> Container {
    Container {
        is_object,
        is_element: outer.is_some_and(|outer| !outer.is_object),
        hidden: outer.is_some_and(|outer| outer.hidden || is_secret(&outer.key)),
        key: if is_object {
            String::new()
        } else {
            outer.map(|outer| outer.key.clone()).unwrap_or_default()
        },
        key_is_next: is_object,
        value_is_next: false,
    }
}

/// Returns the length of the string at the start of `text`, with its quotes.
fn string_length(text: &str) -> usize {
    let (bytes, mut at) = (text.as_bytes(), 1);
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found + 1;
        match bytes.get(at - 1) {
            Some(b'"') => return at,
            // An escaped quote does not end the string. No byte of a multi-byte character equals a
            // quote or a backslash.
            _ => at += 1,
        }
    }
    text.len()
}

fn string(place: &mut Container, token: &str, out: &mut String) {
    if place.is_object && place.key_is_next {
        place.key_is_next = false;
        place.key = compared(&text(token));
        return out.push_str(token);
    }
    // A variable or header in a list is an object with a name and a secret value.
    let names = place.is_object && place.is_element && place.key == "name";
    let option_value = std::mem::take(&mut place.value_is_next);
    if (place.hidden && !names) || (place.is_object && is_secret(&place.key)) || option_value {
        return out.push_str(HIDDEN);
    }
    if ADDRESS.contains(&&*place.key) {
        return out.push_str(&quoted(&address(&text(token))));
    }
    if !place.is_object && place.key == "args" {
        let argument = text(token);
        match argument.split_once('=') {
            Some((option, _)) if is_option(option) => {
                return out.push_str(&quoted(&format!("{option}=<hidden>")));
            }
            _ => place.value_is_next = is_option(&argument),
        }
    }
    out.push_str(token);
}

/// Whether a secret follows an argument such as `--api-key`.
fn is_option(argument: &str) -> bool {
    argument.starts_with('-') && is_secret(&compared(argument))
}

fn is_secret(key: &str) -> bool {
    SECRET.contains(&key)
}

fn compared(key: &str) -> String {
    key.chars()
        .filter(|character| !matches!(character, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the address without its user, password, query and fragment.
fn address(address: &str) -> String {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let (shown, cut) = address.split_at(end);
    let (scheme, authority) =
        shown.split_once("://").map_or(("", shown), |(scheme, rest)| (scheme, rest));
    let host_end = authority.find('/').unwrap_or(authority.len());
    let shown = match authority.get(..host_end).and_then(|host| host.rfind('@')) {
        Some(at) => format!("{scheme}://<hidden>{}", authority.get(at..).unwrap_or_default()),
        None => shown.to_owned(),
    };
    if cut.is_empty() { shown } else { format!("{shown}?<hidden>") }
}

fn text(token: &str) -> String {
    serde_json::from_str(token).unwrap_or_default()
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::masked;
    use attache_protocol::encode;
    use attache_protocol::v1::{
        EnvVariable, HttpHeader, McpServer, McpServerHttp, McpServerStdio, NewSessionRequest,
    };

    #[test]
    fn secrets_of_the_protocol_are_masked_and_nothing_else() {
        let stdio = McpServerStdio::new(
            "db",
            "/bin/db",
            vec!["--port=1".into()],
            vec![EnvVariable::new("KEY", "s3cret")],
        );
        let http = McpServerHttp::new(
            "docs",
            "https://me:s3cret@host/mcp?k=s3cret",
            vec![HttpHeader::new("Authorization", "Bearer s3cret")],
        );
        let request =
            NewSessionRequest::new("/w", vec![McpServer::Stdio(stdio), McpServer::Http(http)]);
        let shown = masked(&encode(&request));
        assert!(!shown.contains("s3cret"), "{shown}");
        for kept in [
            "\"KEY\"",
            "\"Authorization\"",
            "https://<hidden>@host/mcp?<hidden>",
            "--port=1",
            "\"cwd\":\"/w\"",
        ] {
            assert!(shown.contains(kept), "{kept}: {shown}");
        }
    }

    #[test]
    fn misplaced_secrets_are_masked_by_member_name() {
        for (message, shown) in [
            (
                r#"{"env":{"name":"s3cret","B":["s3cret"]},"x":1}"#,
                r#"{"env":{"name":"<hidden>","B":["<hidden>"]},"x":1}"#,
            ),
            (
                r#"{"_meta":{"proxyConfig":{"a":{"b":"s3cret"}}}}"#,
                r#"{"_meta":{"proxyConfig":{"a":{"b":"<hidden>"}}}}"#,
            ),
            (r#"{"apiKe\u0079":"s\"3cret","z":"ok"}"#, r#"{"apiKe\u0079":"<hidden>","z":"ok"}"#),
            (
                r#"{"args":["--api-key","s3cret","--token=s3cret","-v"]}"#,
                r#"{"args":["--api-key","<hidden>","--token=<hidden>","-v"]}"#,
            ),
            (
                r#"{"headers":{"a":"s3cret"},"token":"s3cret"}"#,
                r#"{"headers":{"a":"<hidden>"},"token":"<hidden>"}"#,
            ),
        ] {
            assert_eq!(masked(message), shown);
        }
    }

    #[test]
    fn unusual_messages_are_not_changed() {
        for message in [
            r#"{ "a" : [1e999, "env", {"text":"token \\\" , {"}] , "tokens": 5, "größe":"é" }"#,
            "[]",
            "\"env\"",
            "{\"env\":",
            "\"open",
        ] {
            assert_eq!(masked(message), message);
        }
    }
}
