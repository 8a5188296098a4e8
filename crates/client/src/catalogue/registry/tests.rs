use super::{Registry, RegistryError};
use attache_host::Launch;

const FILE: &str = r#"{"version": "1.0.0", "agents": [
    {"id": "zeta", "name": "Zeta", "version": "0.9.0", "description": "A program", "license": "MIT", "icon": null,
     "distribution": {"binary": {"linux-x86_64": {"archive": "https://example.com/zeta.tar.gz", "cmd": "./bin/zeta", "args": ["acp"]}}}},
    {"id": "alpha", "name": "Alpha", "version": "1.2.3", "description": "From npm", "preview": {"version": "2.0.0"},
     "distribution": {"npx": {"package": "@x/alpha@1.2.3", "args": ["--acp", "a b"], "env": {"MODE": "very strict"}}, "flatpak": 7}},
    {"id": "beta", "name": "Beta", "version": "4.5.6", "description": "From PyPI",
     "distribution": {"uvx": {"package": "beta==4.5.6", "cmd": "beta-acp", "args": null}}}
], "extensions": []}"#;

fn started(id: &str, platform: &str) -> String {
    Registry::parse(FILE).unwrap().agent(id).unwrap().start(platform).unwrap().command_line()
}

#[test]
fn an_agent_is_started_according_to_its_distribution() {
    assert_eq!(started("alpha", "any"), "MODE='very strict' npx --yes @x/alpha@1.2.3 --acp 'a b'");
    assert_eq!(started("beta", "any"), "uvx --from 'beta==4.5.6' beta-acp");
    assert_eq!(started("zeta", "linux-x86_64"), "zeta acp");
    assert!(Launch::parse(&started("alpha", "any")).is_ok());
}

#[test]
fn a_program_for_another_platform_is_refused() {
    let registry = Registry::parse(FILE).unwrap();
    let zeta = registry.agent("zeta").unwrap();
    assert_eq!(
        zeta.start("linux-x86_64").unwrap().download.unwrap().archive,
        "https://example.com/zeta.tar.gz"
    );
    let error = zeta.start("darwin-aarch64").unwrap_err();
    assert!(matches!(&error, RegistryError::Platform { known, .. } if known == &["linux-x86_64"]));
    assert!(Registry::platform().contains('-'));
    assert!(registry.agent("none").is_none());
}

#[test]
fn a_fault_names_its_field() {
    let agent = |distribution: &str| {
        format!(
            r#"{{"version":"1","agents":[{{"id":"a","name":"A","version":"1","description":"d","distribution":{distribution}}}]}}"#
        )
    };
    for (file, place) in [
        ("[]".to_owned(), "(the whole file)"),
        ("{}".to_owned(), "version"),
        (r#"{"version":"1"}"#.to_owned(), "agents"),
        (r#"{"version":"1","agents":[{"name":"A"}]}"#.to_owned(), "agents[0].id"),
        (r#"{"version":"1","agents":[{"id":"../A"}]}"#.to_owned(), "agents[0].id"),
        (agent("7"), "agents[0].distribution"),
        (agent("{}"), "agents[0].distribution"),
        (agent(r#"{"npx":{}}"#), "agents[0].distribution.npx.package"),
        (agent(r#"{"npx":{"package":"--call=evil"}}"#), "agents[0].distribution.npx.package"),
        (agent(r#"{"npx":{"package":"p","args":["a",7]}}"#), "agents[0].distribution.npx.args[1]"),
        (
            agent(r#"{"uvx":{"package":"p","env":{"A B":"c"}}}"#),
            "agents[0].distribution.uvx.env.A B",
        ),
        (
            agent(r#"{"binary":{"linux-x86_64":{"cmd":"x"}}}"#),
            "agents[0].distribution.binary.linux-x86_64.archive",
        ),
    ] {
        match Registry::parse(&file) {
            Err(RegistryError::Field { field, .. }) => assert_eq!(field, place, "{file}"),
            other => panic!("{file}: {other:?}"),
        }
    }
    let error = Registry::parse("{\n  \"version\": 1.0.0\n}").unwrap_err();
    assert!(error.to_string().contains("line 2, column 17"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}
