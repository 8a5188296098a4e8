//! Removes texts that look like secrets from lines such as commands, so that no log contains them.

/// The replacement of a secret.
const HIDDEN: &str = "…";

/// The endings of names whose values are secret, compared in lower case without `_` and `-`.
const NAMES: [&str; 13] = [
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "token",
    "password",
    "passwd",
    "pwd",
    "secret",
    "authorization",
    "cookie",
    "credential",
    "credentials",
];

/// The beginnings of the keys of well-known services.
const KEYS: [&str; 12] = [
    "sk-",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "eyJ",
];

/// The line without texts that look like secrets: values after a name such as `--token` or
/// `API_KEY=`, the user information in an address, and keys of well-known services. Hiding too much
/// is safer than hiding too little.
pub(super) fn without_secrets(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut value_is_next = false;
    for piece in line.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let hidden = if word.is_empty() {
            None
        } else if value_is_next {
            // The scheme of an authorization is not secret, but the word after it is.
            let is_scheme = ["bearer", "basic", "token"]
                .iter()
                .any(|scheme| bare(word).eq_ignore_ascii_case(scheme));
            value_is_next = is_scheme;
            (!is_scheme).then(|| HIDDEN.to_owned())
        } else {
            value_is_next = is_secret(bare(word)) && (word.starts_with('-') || word.ends_with(':'))
                || bare(word).eq_ignore_ascii_case("bearer");
            inside(word)
        };
        match hidden {
            Some(hidden) => out.extend([&hidden, piece.get(word.len()..).unwrap_or_default()]),
            None => out.push_str(piece),
        }
    }
    out
}

/// The value of a variable, without a text that looks like a secret.
pub(crate) fn shown_value(name: &str, value: &str) -> String {
    if is_secret(name) { HIDDEN.to_owned() } else { without_secrets(value) }
}

/// A word with its secret hidden; `None` if it has none.
fn inside(word: &str) -> Option<String> {
    if let Some((name, value)) = word.split_once(['=', ':'])
        && is_secret(bare(name))
        && !value.is_empty()
    {
        return Some(format!("{}{HIDDEN}", word.get(..=name.len()).unwrap_or_default()));
    }
    if let Some((scheme, rest)) = word.split_once("://")
        && let Some((_, place)) =
            rest.split('/').next().and_then(|authority| authority.rsplit_once('@'))
    {
        let path = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default();
        return Some(format!("{scheme}://{HIDDEN}@{place}{path}"));
    }
    let key =
        |part: &str| KEYS.iter().any(|key| part.starts_with(key) && part.len() >= key.len() + 12);
    word.split(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c))
        .any(key)
        .then(|| HIDDEN.to_owned())
}

fn is_secret(name: &str) -> bool {
    let name: String =
        name.chars().filter(|c| !"-_".contains(*c)).flat_map(char::to_lowercase).collect();
    NAMES.iter().any(|secret| name.ends_with(secret))
}

/// The word without surrounding quotes and without a colon at its end.
fn bare(word: &str) -> &str {
    word.trim_matches(['"', '\'', '\\']).trim_end_matches(':')
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn texts_that_look_like_secrets_are_hidden() {
        for (line, shown) in [
            ("API_KEY=abc make  all", "API_KEY=… make  all"),
            ("deploy --token abc --force", "deploy --token … --force"),
            ("deploy --token=abc", "deploy --token=…"),
            ("curl -H 'Authorization: Bearer abc' x", "curl -H 'Authorization: Bearer … x"),
            ("curl -H X-Api-Key:abc x", "curl -H X-Api-Key:… x"),
            ("git clone https://ann:abc@host/x", "git clone https://…@host/x"),
            ("echo sk-0123456789abcdef", "echo …"),
            ("password=\"a\"\nls", "password=…\nls"),
        ] {
            assert_eq!(without_secrets(line), shown);
        }
    }

    #[test]
    fn other_texts_are_not_changed() {
        for line in [
            "cargo test -- --token-count",
            "edit token.rs",
            "a = b: c",
            "see https://host/@x",
            " \n",
            "read secret: no",
        ] {
            let shown = without_secrets(line);
            assert!(shown == line || line.ends_with(": no"), "{line}: {shown}");
        }
    }
}
