//! The calls about stored sessions and the login whose results callers need.

use super::BothVersions;
use attache_connection::CallError;
use attache_protocol::method::{self, Call, Method, v2};
use attache_protocol::v1::{
    AuthStatusResponse, ListSessionsResponse, SessionStatusResponse, SetSessionTitleResponse,
};
use attache_protocol::v2::AgentCapabilities;

/// Declares calls with the same params in both versions, and with results that convert with `From`.
macro_rules! with_reply {
    ($($v1:ty => $v2:ty, $reply:ty;)*) => {$(
        impl BothVersions for $v1 {
            type Version2 = $v2;
            type Reply = $reply;

            fn to_v2(
                params: &Self::Params,
                _offered: &AgentCapabilities,
            ) -> Result<<$v2 as Method>::Params, CallError> {
                Ok(params.clone())
            }

            fn reply(result: &$reply) -> $reply {
                result.clone()
            }

            fn reply_of_v2(result: &<$v2 as Call>::Result) -> $reply {
                result.clone().into()
            }
        }
    )*};
}

with_reply! {
    method::AuthStatus => v2::AuthStatus, AuthStatusResponse;
    method::SessionList => v2::SessionList, ListSessionsResponse;
    method::SessionStatusQuery => v2::SessionStatus, SessionStatusResponse;
    method::SessionSetTitle => v2::SessionSetTitle, SetSessionTitleResponse;
}
