//! Messages between the components of a proxy chain. Unstable; this crate only has the types.

use crate::wire::declare::wire_struct;
use crate::{Fault, Raw, Reader, Wire, Writer};

wire_struct! {
    /// A request to or from a proxy's successor. `_meta` belongs to this hop only. Unstable.
    pub struct ProxySuccessorRequest {
        /// The method of the request inside.
        must method: String = "method",
        /// Its parameters, an object or an array; kept as they arrived.
        strict params: Option<Raw> = "params",
    }
}

wire_struct! {
    /// A notification to or from a proxy's successor. `_meta` belongs to this hop only. Unstable.
    pub struct ProxySuccessorNotification {
        /// The method of the notification inside.
        must method: String = "method",
        /// Its parameters, an object or an array; kept as they arrived.
        strict params: Option<Raw> = "params",
    }
}

/// The result of the request inside, as it arrived. Unstable.
#[derive(Debug, Clone, PartialEq)]
pub struct ProxySuccessorResponse(pub Raw);

impl Wire for ProxySuccessorResponse {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Raw::read(reader).map(Self)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        self.0.write(writer);
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::Any
    }
}
