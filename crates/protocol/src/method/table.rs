//! The macro that turns rows into types and a table.

/// Declares a type for each row, and the table `METHODS` of all rows. The rows come after the
/// protocol version to which they belong.
macro_rules! table {
    ($version:ident $($group:ident { $(
        $function:ident $ty:ident $name:literal $params:ident $(=> $result:ident)? {
        scope: $scope:ident, stability: $stability:ident, $(deadline: $deadline:ident,)?
        null: $null:ident, $(login: $login:ident,)? gate: $gate:expr, $(rule: $rule:literal,)?
    })* })*) => {
        $($(
            #[doc = concat!("`", $name, "`")]
            #[derive(Debug, Clone, Copy)]
            pub enum $ty {}

            impl Method for $ty {
                const ROW: &'static Row = &Row {
                    version: ProtocolVersion::$version,
                    name: $name,
                    function: stringify!($function),
                    receiver: table!(@receiver $group),
                    kind: table!(@kind $($result)?),
                    scope: Scope::$scope,
                    stability: Stability::$stability,
                    gate: $gate,
                    gate_rule: table!(@rule $($rule)?),
                    null_params: table!(@null_params $null),
                    null_result: table!(@null_result $null),
                    needs_login: table!(@login $($login)?),
                    deadline: table!(@deadline $($deadline)?),
                    #[cfg(feature = "schema")]
                    params: <$params as crate::Wire>::shape,
                    #[cfg(feature = "schema")]
                    result: table!(@shape $($result)?),
                };
                type Params = $params;
            }

            table!(@role $ty $($result)?);
        )*)*

        /// The method table, with the agents' methods first.
        pub static METHODS: &[&Row] = &[$($(<$ty as Method>::ROW),*),*];
    };
    (@receiver agent_calls) => { Receiver::Agent };
    (@receiver agent_notifications) => { Receiver::Agent };
    (@receiver client_calls) => { Receiver::Client };
    (@receiver client_notifications) => { Receiver::Client };
    (@receiver both_notifications) => { Receiver::Both };
    (@receiver proxy_calls) => { Receiver::Proxy };
    (@receiver proxy_notifications) => { Receiver::Proxy };
    (@kind $result:ident) => { Kind::Call };
    (@kind) => { Kind::Notification };
    (@rule $rule:literal) => { $rule };
    (@rule) => { GENERAL_GATE_RULE };
    (@null_params Params) => { true };
    (@null_params Both) => { true };
    (@null_params Result) => { false };
    (@null_params Invalid) => { false };
    (@null_result Result) => { true };
    (@null_result Both) => { true };
    (@null_result Params) => { false };
    (@null_result Invalid) => { false };
    (@login Required) => { true };
    (@login) => { false };
    (@deadline $deadline:ident) => { Deadline::$deadline };
    (@deadline) => { Deadline::Quick };
    (@shape $result:ident) => { Some(<$result as crate::Wire>::shape) };
    (@shape) => { None };
    (@role $ty:ident $result:ident) => {
        impl Call for $ty {
            type Result = $result;
        }
    };
    (@role $ty:ident) => {
        impl Notification for $ty {}
    };
}

pub(super) use table;
