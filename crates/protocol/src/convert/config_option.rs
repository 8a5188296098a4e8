//! Setting config options.

use crate::{v1, v2};

impl From<v1::SetSessionConfigOptionRequest> for v2::SetSessionConfigOptionRequest {
    fn from(request: v1::SetSessionConfigOptionRequest) -> Self {
        let value: v2::SessionConfigOptionValue = match request.value {
            v1::SessionConfigOptionValue::ValueId(id) => v2::SessionConfigValue::new(id).into(),
            v1::SessionConfigOptionValue::Boolean(on) => v2::SessionConfigSwitch::new(on).into(),
        };
        Self { meta: request.meta, ..Self::new(request.session_id, request.config_id, value) }
    }
}
