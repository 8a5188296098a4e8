//! Rules whose probes are the same in both versions. Some have another id in version 2.

use crate::client::probe::authenticate::{
    a_login_names_an_offered_method, a_terminal_login_is_not_requested_by_authenticate,
    a_terminal_login_runs_the_agents_program,
};
use crate::client::probe::cancel::{
    a_cancel_names_the_session_of_the_turn, ids_of_different_types_are_different,
    the_client_waits_for_the_end_of_a_cancelled_turn, updates_after_a_cancel_are_accepted,
};
use crate::client::probe::config_option::{
    an_option_of_an_unknown_type_is_ignored, the_category_does_not_matter,
    the_later_of_an_update_and_a_reply_applies, the_options_of_a_reply_replace_earlier_ones,
};
use crate::client::probe::decoding::{
    a_context_window_of_size_0_does_not_end_the_turn, an_unknown_update_is_ignored,
    malformed_numbers_do_not_end_the_turn, session_info_updates_do_not_end_the_turn,
    unknown_members_of_updates_are_ignored,
};
use crate::client::probe::elicitation::{
    a_cancel_answers_open_elicitations, a_slow_pattern_does_not_block_the_client,
    content_that_does_not_match_the_form_is_not_sent, no_url_is_opened_without_consent,
    only_accept_has_content, unknown_completions_are_ignored,
    unknown_modes_and_properties_are_not_answered_as_known_ones,
};
use crate::client::probe::initialize::{
    an_unsupported_version_ends_the_connection, initialize_is_the_first_call,
    the_client_requests_its_latest_version_as_an_integer,
    unknown_capabilities_of_the_agent_are_ignored,
};
use crate::client::probe::mcp::the_program_of_a_server_is_an_absolute_path;
use crate::client::probe::notice::{
    a_summary_replaces_its_chunks, an_unknown_severity_is_shown, notices_do_not_affect_the_turn,
    null_clears_the_summary,
};
use crate::client::probe::permission::{
    a_cancel_answers_every_open_request, a_permission_request_is_answered,
    a_request_without_a_suitable_option_is_answered,
    requests_after_a_cancel_are_answered_with_cancelled, several_requests_are_open_at_once,
    the_answer_is_that_of_the_user, the_chosen_option_was_offered,
    the_name_of_a_tool_grants_nothing, the_option_id_identifies_the_decision,
};
use crate::client::probe::plan::{
    a_command_is_sent_as_text, a_plan_replaces_the_earlier_one, commands_replace_earlier_ones,
};
use crate::client::probe::prompt::{
    a_chunk_of_an_unknown_type_is_skipped, an_error_without_data_ends_the_turn,
    an_unknown_stop_reason_ends_the_turn,
};
use crate::client::probe::session::{
    a_prompt_names_the_session_that_was_opened, a_session_id_is_any_string,
    additional_directories_are_absolute,
    an_update_before_the_session_id_is_known_does_not_end_the_connection,
    an_update_of_an_unknown_session_is_ignored,
    an_update_outside_a_turn_does_not_end_the_connection, the_folder_of_a_session_is_absolute,
};
use crate::client::probe::session_list::{
    a_cursor_is_sent_back_unchanged, a_page_whose_cursor_is_null_is_the_last,
    a_page_without_a_cursor_is_the_last, malformed_sessions_are_skipped,
};
use crate::client::probe::tool_call::{
    an_update_of_an_unknown_call_creates_it, content_is_replaced,
    unknown_kinds_and_statuses_are_accepted,
};
use crate::client::probe::unoffered::unoffered_methods_are_not_found;
use crate::client::run::ClientRun;
use crate::judging::probe::probes;

probes! { ClientRun:
    "INIT-01" initialize_is_the_first_call;
    "INIT-03" the_client_requests_its_latest_version_as_an_integer;
    "INIT-07" an_unsupported_version_ends_the_connection;
    "INIT-12" unknown_capabilities_of_the_agent_are_ignored;
    "INIT-17" unoffered_methods_are_not_found;
    "INIT-15" a_permission_request_is_answered;
    "V2-63" the_chosen_option_was_offered;
    "PERM-05" the_answer_is_that_of_the_user;
    "PERM-06" requests_after_a_cancel_are_answered_with_cancelled;
    "PERM-08" the_option_id_identifies_the_decision;
    "PERM-11" a_request_without_a_suitable_option_is_answered;
    "PERM-12" several_requests_are_open_at_once;
    "TOOL-16" the_name_of_a_tool_grants_nothing;
    "CANCEL-05" a_cancel_answers_every_open_request;
    "ELIC-09" no_url_is_opened_without_consent;
    "ELIC-13" only_accept_has_content;
    "V2-69" content_that_does_not_match_the_form_is_not_sent;
    "ELIC-20" unknown_completions_are_ignored;
    "ELIC-22" unknown_modes_and_properties_are_not_answered_as_known_ones;
    "ELIC-24" a_slow_pattern_does_not_block_the_client;
    "ELIC-26" a_cancel_answers_open_elicitations;
    "TOOL-04" an_update_of_an_unknown_call_creates_it;
    "TOOL-06" content_is_replaced;
    "TOOL-14" unknown_kinds_and_statuses_are_accepted;
    "PLAN-03" a_plan_replaces_the_earlier_one;
    "CMD-02" commands_replace_earlier_ones;
    "CMD-03" a_command_is_sent_as_text;
    "NOTE-04" notices_do_not_affect_the_turn;
    "NOTE-05" an_unknown_severity_is_shown;
    "COMP-05" null_clears_the_summary;
    "COMP-06" a_summary_replaces_its_chunks;
    "V2-19" the_folder_of_a_session_is_absolute;
    "V2-19" additional_directories_are_absolute;
    "SESS-26" an_update_before_the_session_id_is_known_does_not_end_the_connection;
    "SESS-27" an_update_outside_a_turn_does_not_end_the_connection;
    "SESS-28" an_update_of_an_unknown_session_is_ignored;
    "DEC-22" a_session_id_is_any_string;
    "V2-21" a_prompt_names_the_session_that_was_opened;
    "LIST-06" a_page_without_a_cursor_is_the_last;
    "LIST-06" a_page_whose_cursor_is_null_is_the_last;
    "V2-68" a_cursor_is_sent_back_unchanged;
    "LIST-13" malformed_sessions_are_skipped;
    "PROMPT-16" an_unknown_stop_reason_ends_the_turn;
    "DEC-16" an_error_without_data_ends_the_turn;
    "MSG-08" a_chunk_of_an_unknown_type_is_skipped;
    "CANCEL-01" a_cancel_names_the_session_of_the_turn;
    "CANCEL-07" updates_after_a_cancel_are_accepted;
    "CANCEL-19" the_client_waits_for_the_end_of_a_cancelled_turn;
    "CANCEL-24" ids_of_different_types_are_different;
    "CONF-04" the_options_of_a_reply_replace_earlier_ones;
    "CONF-12" an_option_of_an_unknown_type_is_ignored;
    "CONF-13" the_category_does_not_matter;
    "CONF-24" the_later_of_an_update_and_a_reply_applies;
    "DEC-13" unknown_members_of_updates_are_ignored;
    "DEC-18" an_unknown_update_is_ignored;
    "INFO-12" session_info_updates_do_not_end_the_turn;
    "USE-07" a_context_window_of_size_0_does_not_end_the_turn;
    "DEC-12" malformed_numbers_do_not_end_the_turn;
    "V2-19" the_program_of_a_server_is_an_absolute_path;
    "V2-07" a_login_names_an_offered_method;
    "V2-08" a_terminal_login_is_not_requested_by_authenticate;
    "AUTH-08" a_terminal_login_runs_the_agents_program;
}
