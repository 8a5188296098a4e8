//! Every intended difference from the official schema.

const NO_OFFICIAL: &str = "there is no official type of this name";
const NOT_OURS: &str = "we have no type of this name";
const IN_PLACE: &str = "the official schema writes these alternatives into the enclosing type, where they are compared";
const RETIRED: &str = "read from old peers and never sent unasked (§1.4)";

/// The unions of all messages in one direction. In this crate, the method table takes their place,
/// and `envelope::Message` reads the messages (RPC-01). Not every copy of the official schema has
/// them.
pub(crate) const ENVELOPES: &[&str] = &[
    "AgentNotification",
    "AgentRequest",
    "AgentResponse",
    "ClientNotification",
    "ClientRequest",
    "ClientResponse",
    "ProxyNotification",
    "ProxyRequest",
    "ProxyResponse",
];

/// The type, the place in it, what differs, and the rule.
pub(crate) type Intended = (&'static str, &'static str, &'static str, &'static str);

pub(crate) const INTENDED: &[Intended] = &[
    ("InitializeProxyRequest", "", NOT_OURS, "another name of InitializeRequest (§1.3)"),
    ("InitializeProxyResponse", "", NOT_OURS, "another name of InitializeResponse (§1.3)"),
    ("ErrorCode", "", NOT_OURS, "any int32 is a code (RPC-33), so it is written as one"),
    (
        "Error",
        "code",
        "official only: -32000|-32002|-32600|-32601|-32602|-32603|-32700|-32800",
        "any int32 is a code (RPC-33)",
    ),
    ("ElicitationAction", "", NO_OFFICIAL, IN_PLACE),
    ("ElicitationMode", "", NO_OFFICIAL, IN_PLACE),
    ("ElicitationScope", "", NO_OFFICIAL, IN_PLACE),
    ("IdleStopReason", "", NO_OFFICIAL, IN_PLACE),
    ("MessageMcpError", "", NO_OFFICIAL, IN_PLACE),
    ("MessageMcpResult", "", NO_OFFICIAL, IN_PLACE),
    ("SessionConfigKind", "", NO_OFFICIAL, IN_PLACE),
    ("SessionConfigOptionValue", "", NO_OFFICIAL, IN_PLACE),
    (
        "ElicitationFormMode",
        "",
        "only we have this variant",
        "the scope is read once, in CreateElicitationRequest (ELIC-05)",
    ),
    ("ElicitationFormMode", " with requestId requestedSchema", "we lack this variant", "as above"),
    ("ElicitationFormMode", " with requestedSchema sessionId", "we lack this variant", "as above"),
    ("ElicitationUrlMode", "", "only we have this variant", "as above"),
    ("ElicitationUrlMode", " with elicitationId requestId url", "we lack this variant", "as above"),
    ("ElicitationUrlMode", " with elicitationId sessionId url", "we lack this variant", "as above"),
    (
        "AuthMethodAgent",
        "type",
        "only we have it",
        "a type that is not known means an agent method (AUTH-15) and is written back as it came",
    ),
    (
        "CompactionCapabilities",
        "",
        "ours only: {_meta?: {*: any} }; official only: {*: any}",
        "any object may carry `_meta` (META-01)",
    ),
    (
        "NoticeCapabilities",
        "",
        "ours only: {_meta?: {*: any} }; official only: {*: any}",
        "any object may carry `_meta` (META-01)",
    ),
    (
        "UsageUpdate",
        "size",
        "ours only: null",
        "the 2025 draft's unknown size is read (§5.3), never sent (USE-02)",
    ),
    ("ForkSessionResponse", "models", "only we have it", RETIRED),
    ("LoadSessionResponse", "models", "only we have it", RETIRED),
    ("NewSessionResponse", "models", "only we have it", RETIRED),
    ("ResumeSessionResponse", "models", "only we have it", RETIRED),
    ("Icon", "", NO_OFFICIAL, "only version 2 sends it; it is kept from any peer"),
    ("IconTheme", "", NO_OFFICIAL, "only version 2 sends it; it is kept from any peer"),
    (
        "ResourceLink",
        "icons",
        "only we have it",
        "only version 2 sends it; it is kept from any peer",
    ),
    ("ModelInfo", "", NO_OFFICIAL, RETIRED),
    ("SessionModelState", "", NO_OFFICIAL, RETIRED),
    ("SetSessionModelRequest", "", NO_OFFICIAL, RETIRED),
    ("SetSessionModelResponse", "", NO_OFFICIAL, RETIRED),
];

/// The differences in version 2.
pub(crate) const INTENDED_IN_V2: &[Intended] = &[
    (
        "AuthMethod",
        "other: methodId",
        "we lack it",
        "an unknown variant is kept whole, and its members are not checked",
    ),
    (
        "AuthMethod",
        "other: name",
        "we lack it",
        "an unknown variant is kept whole, and its members are not checked",
    ),
    (
        "AvailableCommand",
        "other: description",
        "we lack it",
        "an unknown variant is kept whole, and its members are not checked",
    ),
    (
        "AvailableCommand",
        "other: name",
        "we lack it",
        "an unknown variant is kept whole, and its members are not checked",
    ),
    ("DiffOperation", "", NO_OFFICIAL, IN_PLACE),
    (
        "ElicitationAcceptAction",
        "content",
        "ours only: {*: any}; official only: {*: [string]|any|boolean|int64|number|string}",
        "a value may be any JSON, so it is kept as JSON",
    ),
    ("ElicitationAction", "", NO_OFFICIAL, IN_PLACE),
    ("ElicitationContentValue", "", NOT_OURS, "a value may be any JSON, so it is kept as JSON"),
    (
        "ElicitationFormMode",
        "",
        "only we have this variant",
        "the scope is read once, in CreateElicitationRequest; with both ids, the session counts, as in version 1",
    ),
    (
        "ElicitationFormMode",
        " with requestId requestedSchema",
        "we lack this variant",
        "the scope is read once, in CreateElicitationRequest; with both ids, the session counts, as in version 1",
    ),
    (
        "ElicitationFormMode",
        " with requestedSchema sessionId",
        "we lack this variant",
        "the scope is read once, in CreateElicitationRequest; with both ids, the session counts, as in version 1",
    ),
    ("ElicitationMode", "", NO_OFFICIAL, IN_PLACE),
    (
        "ElicitationSchema",
        "properties",
        "not required by us",
        "a form is read as in version 1, which is more lenient",
    ),
    (
        "ElicitationSchema",
        "type",
        "not required by us; marked L by us, X officially",
        "a form is read as in version 1, which is more lenient",
    ),
    ("ElicitationScope", "", NO_OFFICIAL, IN_PLACE),
    (
        "ElicitationUrlMode",
        "",
        "only we have this variant",
        "the scope is read once, in CreateElicitationRequest; with both ids, the session counts, as in version 1",
    ),
    (
        "ElicitationUrlMode",
        " with elicitationId requestId url",
        "we lack this variant",
        "the scope is read once, in CreateElicitationRequest; with both ids, the session counts, as in version 1",
    ),
    (
        "ElicitationUrlMode",
        " with elicitationId sessionId url",
        "we lack this variant",
        "the scope is read once, in CreateElicitationRequest; with both ids, the session counts, as in version 1",
    ),
    (
        "Error",
        "code",
        "official only: -32000|-32002|-32022|-32600|-32601|-32602|-32603|-32700|-32800",
        "any int32 is a code (RPC-33)",
    ),
    (
        "Error",
        "data",
        "official only: SessionNotFoundErrorData|UnsupportedProtocolVersionErrorData",
        "the data may be any JSON, so it is kept as JSON",
    ),
    ("ErrorCode", "", NOT_OURS, "any int32 is a code (RPC-33)"),
    ("ErrorData", "", NOT_OURS, "the data may be any JSON, so it is kept as JSON"),
    ("IdleStopReason", "", NO_OFFICIAL, IN_PLACE),
    ("InitializeProxyRequest", "", NOT_OURS, "another name of the type of initialize (§1.3)"),
    ("InitializeProxyResponse", "", NOT_OURS, "another name of the type of initialize (§1.3)"),
    ("MessageMcpError", "", NO_OFFICIAL, IN_PLACE),
    ("MessageMcpResult", "", NO_OFFICIAL, IN_PLACE),
    (
        "PlanUpdateContent",
        "other: planId",
        "we lack it",
        "an unknown variant is kept whole, and its members are not checked",
    ),
    (
        "RequestId",
        "",
        "ours only: null",
        "one type for both versions, which reads null as JSON-RPC allows",
    ),
    (
        "ResourceLink",
        "size",
        "ours only: int64; official only: uint64",
        "one type for both versions; a size above 2^63 counts as absent",
    ),
    ("SessionConfigKind", "", NO_OFFICIAL, IN_PLACE),
    ("SessionConfigOptionValue", "", NO_OFFICIAL, IN_PLACE),
    ("SessionConfigSwitch", "", NO_OFFICIAL, IN_PLACE),
    ("SessionConfigValue", "", NO_OFFICIAL, IN_PLACE),
    (
        "SetSessionConfigOptionRequest",
        "other: value",
        "we lack it",
        "an unknown variant is kept whole, and its members are not checked",
    ),
];
