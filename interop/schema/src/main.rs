//! Prints the JSON Schema of every official type of versions 1 and 2, stable and unstable, as one
//! object `{"v1": {"$defs": {…}}, "v2": {"$defs": {…}}}`.
//!
//! The roots are the enums of all messages of both sides, and the types that they use are included.
//! The roots themselves are inlined and therefore not printed.

use schemars::generate::SchemaSettings;
use serde_json::json;

/// The schema of one version.
macro_rules! schema {
    ($version:ident) => {{
        use agent_client_protocol_schema::$version as version;
        let mut generator = SchemaSettings::draft2020_12()
            .with(|settings| settings.untagged_enum_variant_titles = true)
            .into_generator();
        generator.subschema_for::<version::AgentRequest>();
        generator.subschema_for::<version::AgentResponse>();
        generator.subschema_for::<version::AgentNotification>();
        generator.subschema_for::<version::ClientRequest>();
        generator.subschema_for::<version::ClientResponse>();
        generator.subschema_for::<version::ClientNotification>();
        generator.subschema_for::<version::ProtocolLevelNotification>();
        generator.subschema_for::<version::ProxyRequest>();
        generator.subschema_for::<version::ProxyResponse>();
        generator.subschema_for::<version::ProxyNotification>();
        generator.subschema_for::<version::Error>();
        generator.subschema_for::<version::RequestId>();
        json!({"$defs": generator.definitions()})
    }};
}

fn main() -> serde_json::Result<()> {
    let versions = json!({"v1": schema!(v1), "v2": schema!(v2)});
    println!("{}", serde_json::to_string_pretty(&versions)?);
    Ok(())
}
