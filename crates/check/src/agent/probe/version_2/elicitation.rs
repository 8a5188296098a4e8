//! Questions to the user (V2-14).

use super::super::elicitation::forms_are_sent_only_if_supported;
use crate::agent::run::Run;
use crate::judging::probe::probes;

probes! { Run:
    "V2-14" forms_are_sent_only_if_supported;
}
