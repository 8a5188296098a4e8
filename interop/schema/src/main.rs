//! Prints the JSON Schema of every official v1 type, stable and unstable, as one object
//! `{"$defs": {…}}`.
//!
//! The roots are the enums of all messages of both sides, and the types that they use are included.
//! The roots themselves are inlined and therefore not printed.

use agent_client_protocol_schema::v1;
use schemars::generate::SchemaSettings;
use serde_json::json;

fn main() -> serde_json::Result<()> {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.untagged_enum_variant_titles = true)
        .into_generator();
    generator.subschema_for::<v1::AgentRequest>();
    generator.subschema_for::<v1::AgentResponse>();
    generator.subschema_for::<v1::AgentNotification>();
    generator.subschema_for::<v1::ClientRequest>();
    generator.subschema_for::<v1::ClientResponse>();
    generator.subschema_for::<v1::ClientNotification>();
    generator.subschema_for::<v1::ProtocolLevelNotification>();
    generator.subschema_for::<v1::ProxyRequest>();
    generator.subschema_for::<v1::ProxyResponse>();
    generator.subschema_for::<v1::ProxyNotification>();
    generator.subschema_for::<v1::Error>();
    generator.subschema_for::<v1::RequestId>();
    println!("{}", serde_json::to_string_pretty(&json!({"$defs": generator.definitions()}))?);
    Ok(())
}
