//! Random sequences of events, with few ids so that they collide often.

use attache_protocol::v1::*;
use attache_protocol::{Meta, Patch, Raw, decode, v2};
use attache_session::{
    EventBody, MessageAuthor, Origin, PermissionId, PermissionQuestion, PermissionSubject,
    PlanContent, ToolCallPatch, TurnOutcome,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

/// Any sequence of up to 60 bodies. Half of the sequences consist mostly of chunks of a few
/// messages, as agents stream them.
pub(crate) fn bodies() -> impl Strategy<Value = Vec<EventBody>> {
    prop_oneof![vec(body(), 0..60), vec(prop_oneof![9 => piece(), 1 => body()], 0..60)]
}

/// Like [`bodies`], with events that only version 2 has.
pub(crate) fn bodies_of_both_versions() -> impl Strategy<Value = Vec<EventBody>> {
    vec(prop_oneof![1 => body(), 1 => v2_body()], 0..60)
}

fn question() -> impl Strategy<Value = PermissionQuestion> {
    let command = (text(), of(id::<ToolCallId>()), of(meta())).prop_map(|(line, call, meta)| {
        let mut command = v2::CommandPermissionSubject::new(line, "/w");
        (command.tool_call_id, command.meta) = (call, meta);
        PermissionSubject::Command(command)
    });
    let tool_call =
        (id::<ToolCallId>(), patch(text()), of(meta())).prop_map(|(id, title, meta)| {
            let tool_call = ToolCallPatch { upserts: true, title, ..ToolCallPatch::new(id) };
            PermissionSubject::ToolCall { tool_call, meta }
        });
    let flight: v2::RequestPermissionSubject =
        attache_protocol::decode(r#"{"type":"flight","to":"Paris"}"#).unwrap();
    let flight = PermissionSubject::from(flight);
    let subject = prop_oneof![command, tool_call, Just(flight)];
    (of(text()), of(text()), of(subject), of(meta())).prop_map(
        |(title, description, subject, meta)| PermissionQuestion {
            title,
            description,
            subject,
            options: vec![PermissionOption::new("y", "Yes", PermissionOptionKind::AllowOnce)],
            meta,
        },
    )
}

fn v2_body() -> BoxedStrategy<EventBody> {
    let parts = || {
        prop_oneof![
            block().prop_map(attache_session::ToolCallContent::from),
            text().prop_map(|path| attache_session::ToolCallContent::Changes(v2::Diff::new(vec![
                v2::DiffChange::new(v2::DiffOperation::Delete(v2::DiffPathChange::new(path)))
            ]))),
            Just(attache_session::ToolCallContent::Terminal(Terminal::new("a"))),
        ]
    };
    let status = prop_oneof![
        Just(v2::ToolCallStatus::Cancelled),
        Just(v2::ToolCallStatus::Paused),
        Just(v2::ToolCallStatus::Unknown("odd".into())),
    ];
    let call = (
        id::<ToolCallId>(),
        patch(text()),
        patch(status),
        patch(vec(parts(), 0..3)),
        patch(meta()),
    );
    let call = call.prop_map(|(id, title, status, content, meta)| {
        let patch =
            ToolCallPatch { upserts: true, title, status, content, meta, ..ToolCallPatch::new(id) };
        EventBody::ToolCallUpdate(patch)
    });
    let output = prop_oneof![Just("aGk="), Just("aGk"), Just("?"), Just("")];
    prop_oneof![
        3 => (author(), id::<MessageId>(), patch(vec(block(), 0..3)), patch(meta())).prop_map(
            |(author, message_id, content, meta)| EventBody::WholeMessage {
                author, message_id, content, meta
            }
        ),
        3 => call,
        3 => (id::<ToolCallId>(), parts()).prop_map(|(tool_call_id, content)| {
            EventBody::ToolCallContent { tool_call_id, content }
        }),
        2 => (id::<TerminalId>(), patch(text()), patch(output.clone()), patch(meta())).prop_map(
            |(id, command, output, meta)| {
                let mut update = v2::TerminalUpdate::new(id);
                (update.command, update.meta) = (command, meta);
                update.output = match output {
                    Patch::Keep => Patch::Keep,
                    Patch::Clear => Patch::Clear,
                    Patch::Set(data) => Patch::Set(v2::TerminalOutput::new(data)),
                };
                EventBody::Terminal(Box::new(update))
            }
        ),
        2 => (id::<TerminalId>(), output).prop_map(|(terminal_id, data)| {
            EventBody::TerminalOutput { terminal_id, data: data.to_owned() }
        }),
        1 => (patch(text()), patch(meta())).prop_map(|(title, meta)| EventBody::InfoByKey {
            title, updated_at: Patch::Keep, meta
        }),
        2 => agent_state().prop_map(|state| EventBody::State(Box::new(state))),
        1 => Just(EventBody::Usage { used: 1, size: Some(2), cost: Patch::Clear }),
        1 => Just(r#"[{"type":"macro"},{"type":"command","name":"a","description":"d"}]"#)
            .prop_map(|commands| EventBody::CommandsOfKinds(decode(commands).unwrap())),
        1 => (0u64..4, question()).prop_map(|(id, question)| {
            EventBody::permission_asked(PermissionId(id), question)
        }),
    ]
    .boxed()
}

fn agent_state() -> impl Strategy<Value = v2::StateUpdate> {
    let states = [
        r#"{"state":"running"}"#,
        r#"{"state":"running","background":[{"type":"terminal","terminalId":"a"}]}"#,
        r#"{"state":"requires_action","background":[]}"#,
        r#"{"state":"idle"}"#,
        r#"{"state":"idle","stopReason":"refusal"}"#,
        r#"{"state":"idle","stopReason":"bored","usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2}}"#,
        r#"{"state":"dreaming"}"#,
    ];
    prop::sample::select(states.to_vec()).prop_map(|text| decode(text).unwrap())
}

fn piece() -> impl Strategy<Value = EventBody> {
    let author = prop_oneof![1 => Just(MessageAuthor::Thought), 5 => Just(MessageAuthor::Agent)];
    let message_id = prop_oneof![4 => Just(None), 1 => Just(Some("a".into()))];
    (author, message_id, text()).prop_map(|(author, message_id, text)| EventBody::Message {
        author,
        message_id,
        content: ContentBlock::text(text),
    })
}

/// Boxed, because nested strategies would overflow the stack.
fn body() -> BoxedStrategy<EventBody> {
    let body = prop_oneof![
        8 => message(),
        2 => vec(block(), 0..3).prop_map(|content| EventBody::Prompt { content }),
        6 => tool(),
        3 => plan(),
        4 => others(),
        4 => state(),
        2 => turn(),
    ];
    body.boxed()
}

fn id<T: for<'a> From<&'a str> + std::fmt::Debug>() -> impl Strategy<Value = T> {
    prop_oneof![Just("a"), Just("b"), Just("replayed-1-0")].prop_map(|id| T::from(id))
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-zé€\n\"]{1,9}", "\\PC{0,5}"]
}

fn block() -> impl Strategy<Value = ContentBlock> {
    prop_oneof![
        6 => text().prop_map(ContentBlock::text),
        1 => Just(ContentBlock::Image(ImageContent::new("AAAA", "image/png"))),
        1 => text().prop_map(|uri| ContentBlock::ResourceLink(ResourceLink::new(uri, "name"))),
        1 => (text(), meta()).prop_map(|(text, meta)| {
            let mut content = TextContent::new(text);
            content.meta = Some(meta);
            ContentBlock::Text(content)
        }),
    ]
}

fn author() -> impl Strategy<Value = MessageAuthor> {
    prop_oneof![Just(MessageAuthor::User), Just(MessageAuthor::Agent), Just(MessageAuthor::Thought)]
}

fn message() -> impl Strategy<Value = EventBody> {
    (author(), of(id()), block()).prop_map(|(author, message_id, content)| EventBody::Message {
        author,
        message_id,
        content,
    })
}

fn meta() -> impl Strategy<Value = Meta> {
    let texts = [
        "{}",
        r#"{"a":1}"#,
        r#"{"a":null,"b":{"c":[null,1],"d":null}}"#,
        r#"{"b":{"c":null,"\u00e9":1e400}}"#,
        r#"{"a":{"a":{"a":2}},"a":{"z":0}}"#,
    ];
    prop::sample::select(texts.to_vec())
        .prop_map(|text| Meta::new(Raw::from_text(text).unwrap()).unwrap())
}

fn patch<T: Clone + std::fmt::Debug>(
    value: impl Strategy<Value = T>,
) -> impl Strategy<Value = Patch<T>> {
    of(of(value)).prop_map(|value| match value {
        None => Patch::Keep,
        Some(None) => Patch::Clear,
        Some(Some(value)) => Patch::Set(value),
    })
}

fn update() -> impl Strategy<Value = ToolCallUpdate> {
    let status = prop_oneof![
        Just(ToolCallStatus::InProgress),
        Just(ToolCallStatus::Completed),
        Just(ToolCallStatus::Unknown("odd".into())),
    ];
    let content = vec(block().prop_map(ToolCallContent::from), 0..3);
    (id::<ToolCallId>(), of(text()), of(status), of(content), of(meta())).prop_map(
        |(id, title, status, content, meta)| {
            let mut update = ToolCallUpdate::new(id);
            update.raw_input = meta.map(|meta| meta.raw().clone());
            (update.title, update.status, update.content) = (title, status, content);
            update
        },
    )
}

fn tool() -> impl Strategy<Value = EventBody> {
    prop_oneof![
        3 => update().prop_map(|update| EventBody::ToolCallUpdate(update.into())),
        1 => update()
            .prop_filter_map("no title", ToolCallUpdate::into_tool_call)
            .prop_map(|call| EventBody::ToolCall(call.into())),
        1 => (0u64..4, update()).prop_map(|(id, tool_call)| {
            let options =
                vec![PermissionOption::new("y", "Yes", PermissionOptionKind::AllowOnce)];
            EventBody::permission_asked(
                PermissionId(id),
                PermissionQuestion::new(tool_call, options),
            )
        }),
        1 => (0u64..4).prop_map(|id| EventBody::PermissionSettled {
            id: PermissionId(id),
            outcome: SelectedPermissionOutcome::new("y").into(),
        }),
    ]
}

fn plan() -> impl Strategy<Value = EventBody> {
    let entry = text()
        .prop_map(|text| PlanEntry::new(text, PlanEntryPriority::Low, PlanEntryStatus::Pending));
    let items = vec(entry, 0..3).prop_map(PlanContent::Items).boxed();
    let any = prop_oneof![
        items.clone(),
        text().prop_map(PlanContent::File),
        text().prop_map(PlanContent::Markdown)
    ];
    prop_oneof![
        items.prop_map(|content| EventBody::Plan { id: None, content }),
        (id::<PlanId>(), any).prop_map(|(id, content)| EventBody::Plan { id: Some(id), content }),
        id().prop_map(EventBody::PlanRemoved),
    ]
}

fn others() -> impl Strategy<Value = EventBody> {
    let status = prop_oneof![Just("in_progress"), Just("completed"), Just("odd")];
    prop_oneof![
        text().prop_map(|title| EventBody::Notice(Notice::new(NoticeSeverity::Info, title))),
        (id::<CompactionId>(), status, patch(vec(block(), 0..3)), patch(text()), patch(meta()))
            .prop_map(|(id, status, summary, error, meta)| {
                let new = CompactionUpdate::new(id, status);
                EventBody::Compaction(CompactionUpdate { summary, error, meta, ..new })
            }),
        (id::<CompactionId>(), block()).prop_map(|(id, content)| EventBody::CompactionSummary(
            CompactionSummaryChunk::new(id, content)
        )),
        (id::<SessionId>(), patch(text()), patch(vec(text(), 0..2)), patch(meta())).prop_map(
            |(id, title, additional_directories, meta)| {
                let new = SubagentUpdate::new(id);
                EventBody::Subagent(Box::new(SubagentUpdate {
                    title,
                    additional_directories,
                    meta,
                    ..new
                }))
            }
        ),
        (id::<MessageId>(), patch(id()), patch(vec(block(), 0..3))).prop_map(
            |(id, sender_session_id, content)| {
                let new = SessionMessage::new(id);
                EventBody::SessionMessage(Box::new(SessionMessage {
                    sender_session_id,
                    content,
                    ..new
                }))
            }
        ),
        (id::<MessageId>(), block()).prop_map(|(id, content)| EventBody::SessionMessageChunk(
            Box::new(SessionMessageChunk::new(id, content))
        )),
        Just(EventBody::Unknown {
            name: "sparkle".into(),
            raw: Raw::from_text(r#"{"sessionUpdate":"sparkle"}"#).unwrap(),
        }),
        meta().prop_map(|meta| EventBody::Record {
            name: "memory".into(),
            value: meta.raw().clone()
        }),
    ]
}

fn option() -> impl Strategy<Value = SessionConfigOption> {
    let values: Vec<_> =
        ["x", "y"].map(|value| SessionConfigSelectOption::new(value, value)).into();
    let current = prop_oneof![Just("x"), Just("y"), Just("gone")];
    let category = of(prop_oneof![
        Just(SessionConfigOptionCategory::Mode),
        Just(SessionConfigOptionCategory::Model),
        Just(SessionConfigOptionCategory::from("_own")),
    ]);
    let kind = prop_oneof![
        current.prop_map(move |current| SessionConfigSelect::new(current, values.clone()).into()),
        any::<bool>().prop_map(|on| SessionConfigKind::from(SessionConfigBoolean::new(on))),
    ];
    (id::<SessionConfigId>(), text(), category, kind).prop_map(|(id, name, category, kind)| {
        let mut option = SessionConfigOption::boolean(id, name, true);
        (option.category, option.kind) = (category, kind);
        option
    })
}

fn state() -> impl Strategy<Value = EventBody> {
    let origin =
        prop_oneof![Just(Origin::New), Just(Origin::Loaded), Just(Origin::Forked("a".into()))];
    let unit = prop_oneof![Just("USD"), Just("credits")];
    let modes =
        vec!["x", "y"].into_iter().map(|mode| SessionMode::new(mode, mode)).collect::<Vec<_>>();
    let models =
        vec!["x", "y"].into_iter().map(|model| ModelInfo::new(model, model)).collect::<Vec<_>>();
    prop_oneof![
        (text(), vec(text(), 0..2), origin).prop_map(|(cwd, additional_directories, origin)| {
            EventBody::Opened { cwd, additional_directories, origin, agent: None }
        }),
        vec(text(), 0..3).prop_map(|names| {
            EventBody::Commands(
                names.into_iter().map(|name| AvailableCommand::new(name, "what it does")).collect(),
            )
        }),
        vec(option(), 0..4).prop_map(EventBody::ConfigOptions),
        id::<SessionModeId>().prop_map(move |current| EventBody::Modes(SessionModeState::new(
            current,
            modes.clone()
        ))),
        prop_oneof![Just("x"), Just("y"), Just("z")]
            .prop_map(|mode| EventBody::CurrentMode(mode.into())),
        id::<ModelId>().prop_map(move |current| EventBody::Models(SessionModelState::new(
            current,
            models.clone()
        ))),
        (patch(text()), patch(text()), patch(meta()))
            .prop_map(|(title, updated_at, meta)| EventBody::Info { title, updated_at, meta }),
        ("[ a-z]{0,9}", any::<bool>())
            .prop_map(|(title, by_person)| EventBody::StoredTitle { title, by_person }),
        (any::<u64>(), of(any::<u64>()), of((any::<u32>(), unit))).prop_map(
            |(used, size, cost)| {
                EventBody::Usage {
                    used,
                    size,
                    cost: cost.map_or(Patch::Keep, |(cents, unit)| {
                        Patch::Set(Cost::new(f64::from(cents) / 100.0, unit))
                    }),
                }
            }
        ),
    ]
}

fn turn() -> impl Strategy<Value = EventBody> {
    let usage =
        any::<(u64, u64, u64, Option<u64>)>().prop_map(|(total, input, output, thought)| {
            let mut usage = Usage::new(total, input, output);
            usage.thought_tokens = thought;
            usage
        });
    let outcome = prop_oneof![
        Just(TurnOutcome::Stopped(StopReason::Cancelled)),
        text().prop_map(|message| TurnOutcome::Failed(attache_protocol::Error::internal(message))),
    ];
    prop_oneof![
        Just(EventBody::TurnBegan),
        (outcome, of(usage)).prop_map(|(outcome, usage)| EventBody::TurnEnded { outcome, usage }),
    ]
}
