//! Whether a message has the shape of its method in the version of its connection (DEC-20, META-03,
//! EXT-01, RPC-16, RPC-23).

use super::finding::Report;
use super::seen::{Asked, Body, Seen, quoted};
use attache_protocol::method::{self, Call, Kind, Method, Row, Side};
use attache_protocol::v1::ProtocolVersion;
use attache_protocol::{
    DecodeError, DroppedValue, FaultKind, Reader, UnknownValues, Wire, check_reporting,
};

/// A function that reads a value of one type and forgets it.
type Check = fn(&mut Reader<'_>) -> Result<(), attache_protocol::Fault>;

/// A fault: the broken rule and a sentence.
type Fault = (&'static str, String);

/// The shapes of a method's params and result.
struct Shapes {
    row: &'static Row,
    receiver: Side,
    params: Check,
    result: Option<Check>,
}

/// Lists the shapes of the methods whose types are in the module `rows`.
macro_rules! shapes {
    (
        agent_calls { $($af:ident $at:ident $an:literal $ap:ident => $ar:ident { $($ax:tt)* })* }
        agent_notifications { $($bf:ident $bt:ident $bn:literal $bp:ident { $($bx:tt)* })* }
        client_calls { $($cf:ident $ct:ident $cn:literal $cp:ident => $cr:ident { $($cx:tt)* })* }
        client_notifications { $($df:ident $dt:ident $dn:literal $dp:ident { $($dx:tt)* })* }
        both_notifications { $($ef:ident $et:ident $en:literal $ep:ident { $($ex:tt)* })* }
        $($proxy:tt)*
    ) => {
        &[
            $(call::<rows::$at>(Side::Agent),)*
            $(notification::<rows::$bt>(Side::Agent),)*
            $(call::<rows::$ct>(Side::Client),)*
            $(notification::<rows::$dt>(Side::Client),)*
            $(notification::<rows::$et>(Side::Agent), notification::<rows::$et>(Side::Client),)*
        ]
    };
}

/// The shapes of one version.
type Table = &'static [Shapes];

static V1: Table = {
    use method as rows;
    attache_protocol::each_method!(shapes)
};

static V2: Table = {
    use method::v2 as rows;
    attache_protocol::each_v2_method!(shapes)
};

const fn call<M: Call>(receiver: Side) -> Shapes {
    Shapes { row: M::ROW, receiver, params: check::<M::Params>, result: Some(check::<M::Result>) }
}

const fn notification<M: Method>(receiver: Side) -> Shapes {
    Shapes { row: M::ROW, receiver, params: check::<M::Params>, result: None }
}

fn check<T: Wire>(reader: &mut Reader<'_>) -> Result<(), attache_protocol::Fault> {
    T::read(reader).map(drop)
}

impl Shapes {
    fn params(&self, text: &str) -> Vec<Fault> {
        self.faults(self.row.params_text(Some(text)), self.params, "params")
    }

    fn error(&self, text: &str) -> Option<DecodeError> {
        let (text, unknown) = (self.row.params_text(Some(text)), self.row.unknown_in_params());
        let (checked, _) = check_reporting(text, unknown, &mut { self.params });
        checked.err().map(|error| error.under("params"))
    }

    fn result(&self, text: &str) -> Option<Vec<Fault>> {
        Some(self.faults(self.row.result_text(text), self.result?, "result"))
    }

    fn faults(&self, text: &str, mut check: Check, root: &str) -> Vec<Fault> {
        // Only version 1 has closed sets of values.
        let unknown = match self.row.version {
            ProtocolVersion::V1 => UnknownValues::Refuse,
            _ => UnknownValues::Keep,
        };
        let (checked, notices) = check_reporting(text, unknown, &mut check);
        if let Err(error) = checked {
            return vec![("DEC-20", error.under(root).to_string())];
        }
        let fault = |notice: DroppedValue| {
            let rule = if notice.kind == FaultKind::NoField { "META-03" } else { "DEC-20" };
            (rule, notice.error.under(root).to_string())
        };
        notices.into_iter().map(fault).collect()
    }
}

/// Judges the names and shapes of a message of version 1.
pub(super) fn judge(seen: &Seen<'_>, report: &mut Report) {
    judge_by(V1, seen, report);
}

/// Judges the names and shapes of a message of version 2.
pub(super) fn judge_v2(seen: &Seen<'_>, report: &mut Report) {
    judge_by(V2, seen, report);
}

fn judge_by(table: Table, seen: &Seen<'_>, report: &mut Report) {
    match &seen.body {
        Body::Asked(asked) => judge_asked(table, seen.from, asked, report),
        Body::Replied { to, outcome, text } => {
            let shapes = shapes_of(table, seen.from, &to.method, true);
            if outcome.is_ok()
                && let Some(faults) = shapes.and_then(|shapes| shapes.result(text))
            {
                report.tests(&["META-03", "DEC-20"]);
                breaks(faults, report);
            }
            if shapes.is_none()
                && !matches!(outcome, Err(error) if error["code"] == -32601)
                && is_reserved(&to.method)
            {
                report.contradicts(
                    "RPC-16",
                    to.line,
                    format!(
                        "{} is answered with a result, although the protocol has no such method",
                        quoted(&to.method)
                    ),
                );
            }
        }
    }
}

fn judge_asked(table: Table, from: Side, asked: &Asked<'_>, report: &mut Report) {
    report.tests(&["EXT-01"]);
    let Some(shapes) = shapes_of(table, from.other(), &asked.method, asked.is_call) else {
        let is_of_other_kind =
            shapes_of(table, from.other(), &asked.method, !asked.is_call).is_some();
        // If the method exists as the other kind of message, the only fault is the id or its
        // absence (RPC-11).
        if is_reserved(&asked.method) && !is_of_other_kind {
            let seen = format!(
                "the protocol has no {} in this direction, and extension names begin with _",
                quoted(&asked.method)
            );
            report.breaks("EXT-01", seen);
        }
        return;
    };
    report.tests(&["META-03", "DEC-20"]);
    breaks(shapes.params(asked.text.unwrap_or("{}")), report);
}

/// Returns the reason why the params of a call cannot be decoded.
pub(super) fn undecodable(from: Side, asked: &Asked<'_>) -> Option<DecodeError> {
    let shapes = shapes_of(V1, from.other(), &asked.method, asked.is_call)?;
    shapes.error(asked.text.unwrap_or("{}"))
}

fn breaks(faults: Vec<Fault>, report: &mut Report) {
    for (rule, sentence) in faults {
        report.breaks(rule, sentence);
    }
}

/// Whether a name belongs to the protocol.
fn is_reserved(method: &str) -> bool {
    !method.starts_with('_') && !method.starts_with("$/")
}

fn shapes_of(table: Table, receiver: Side, name: &str, is_call: bool) -> Option<&'static Shapes> {
    table.iter().find(|shapes| {
        shapes.receiver == receiver
            && (shapes.row.kind == Kind::Call) == is_call
            && shapes.row.name == name
    })
}
