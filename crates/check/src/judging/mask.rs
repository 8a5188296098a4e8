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
/// JSON, or the beginning of a longer one. A string that is cut off may be secret in a list of
/// arguments and in an address, and is masked there.
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
    let is_address = ADDRESS.contains(&&*place.key);
    let is_argument = !place.is_object && place.key == "args";
    if !is_address && !is_argument {
        return out.push_str(token);
    }
    let Some(text) = whole_text(token) else { return out.push_str(HIDDEN) };
    if is_address {
        return out.push_str(&quoted(&address(&text)));
    }
    match text.split_once('=') {
        Some((option, _)) if is_option(option) => {
            return out.push_str(&quoted(&format!("{option}=<hidden>")));
        }
        _ => place.value_is_next = is_option(&text),
    }
    match text.contains("://") {
        true => out.push_str(&quoted(&argument_with_address(&text))),
        false => out.push_str(token),
    }
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

/// Returns an argument that contains an address, without what can be the login or a query. A
/// password can contain any character, so that everything up to the last `@` counts as the login.
fn argument_with_address(argument: &str) -> String {
    let Some((before, rest)) = argument.split_once("://") else { return argument.to_owned() };
    let at = rest.rfind('@');
    let login = if at.is_some() { "<hidden>" } else { "" };
    let rest = rest.get(at.unwrap_or(0)..).unwrap_or_default();
    match rest.split_once(['?', '#']) {
        Some((shown, _)) => format!("{before}://{login}{shown}?<hidden>"),
        None => format!("{before}://{login}{rest}"),
    }
}

fn text(token: &str) -> String {
    whole_text(token).unwrap_or_default()
}

/// The text of a string; `None` if the string is cut off.
fn whole_text(token: &str) -> Option<String> {
    serde_json::from_str(token).ok()
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
    fn addresses_in_arguments_lose_their_login_and_query() {
        for (argument, shown) in [
            ("postgres://u:s3cret@h/db", "postgres://<hidden>@h/db"),
            ("--db=postgres://u:s3cret@h/db", "--db=postgres://<hidden>@h/db"),
            ("curl 'http://u:s3cret@a/b?k=s3cret'", "curl 'http://<hidden>@a/b?<hidden>"),
            ("http://h/a,http://u:s3cret@h", "http://<hidden>@h"),
            ("http://u:s3@cret/#s3cret@h/a", "http://<hidden>@h/a"),
            ("https://h/a", "https://h/a"),
        ] {
            let message = |argument: &str| format!(r#"{{"args":["{argument}","-v"]}}"#);
            assert_eq!(masked(&message(argument)), message(shown));
        }
    }

    #[test]
    fn no_part_of_a_secret_that_is_cut_off_is_shown() {
        for (message, shown) in [
            (r#"{"args":["-v","--api-key=s3cr"#, r#"{"args":["-v","<hidden>""#),
            (r#"{"args":["--api-key","s3cr"#, r#"{"args":["--api-key","<hidden>""#),
            (r#"{"args":["--api-key=s3cret\"#, r#"{"args":["<hidden>""#),
            (r#"{"url":"http://u:s3cr"#, r#"{"url":"<hidden>""#),
            (r#"{"token":"s3cr"#, r#"{"token":"<hidden>""#),
            (r#"{"env":[{"name":"A","value":"s3cr"#, r#"{"env":[{"name":"A","value":"<hidden>""#),
            (r#"{"headers":{"A":"s3cr"#, r#"{"headers":{"A":"<hidden>""#),
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
