//! The environment variables of all providers.

use crate::catalogue::Catalogue;
use crate::catalogue::known_providers::known_variables;
use crate::catalogue::provider_variables::ProviderVariables;

/// Returns the environment variables of all providers: the well-known ones, and those of the user's
/// own list that have a variable for their key. A list that cannot be read adds none.
pub fn provider_variables(own: Option<&str>) -> Vec<ProviderVariables> {
    let mut catalogue = Catalogue::default();
    if let Some(own) = own {
        // `Models::of` reports the error.
        drop(catalogue.extend(own));
    }
    let mut all = catalogue.own_variables();
    for known in known_variables() {
        if all.iter().all(|own| own.id != known.id) {
            all.push(known);
        }
    }
    all
}

/// The tokens of this program for servers.
const TOKENS: [&str; 2] = ["ATTACHE_TOKEN", "ATTACHE_NOTIFY_TOKEN"];

/// Returns the variables that contain keys, including those in the user's own list, the variables
/// of addresses that contain a login or a query, and those of this program's tokens.
pub(crate) fn key_variables(catalogue: &Catalogue) -> Vec<String> {
    let with_login =
        |name: &String| std::env::var(name).is_ok_and(|address| address.contains(['@', '?']));
    let of = |provider: ProviderVariables| {
        provider.keys.into_iter().chain(provider.base_urls.into_iter().filter(with_login))
    };
    let providers = catalogue.own_variables().into_iter().chain(known_variables());
    providers.flat_map(of).chain(TOKENS.map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::provider_variables;

    #[test]
    fn the_users_own_providers_are_listed_with_the_well_known_ones() {
        let own = r#"{"providers":[
            {"id":"box","wire":"chat","base_url":"http://box/v1","key_variable":"BOX_KEY"},
            {"id":"open","wire":"chat","base_url":"http://open/v1"}]}"#;
        let all = provider_variables(Some(own));
        let ids: Vec<&str> = all.iter().map(|provider| provider.id.as_str()).collect();
        assert_eq!(ids.first(), Some(&"box"));
        assert!(ids.contains(&"anthropic") && !ids.contains(&"open"), "{ids:?}");
        assert_eq!(all[0].keys, ["BOX_KEY"]);
        assert_eq!(provider_variables(Some("nonsense")), provider_variables(None));
    }
}
