//! Conversion between config options and their types of version 2.

use crate::info::meta::members;
use attache_protocol::v1::{
    self, SessionConfigKind, SessionConfigOption, SessionConfigSelect, SessionConfigSelectOptions,
};
use attache_protocol::v2::{self, SessionConfigSelectGroup};
use attache_protocol::{Raw, UnknownVariant, encode};

/// Converts a config option of version 2.
pub fn from_v2_option(option: v2::SessionConfigOption) -> SessionConfigOption {
    let kind = match option.kind {
        v2::SessionConfigKind::Select(select) => {
            let options = match select.options {
                v2::SessionConfigSelectOptions::Ungrouped(options) => {
                    SessionConfigSelectOptions::Ungrouped(options)
                }
                v2::SessionConfigSelectOptions::Grouped(groups) => {
                    let group = |group: SessionConfigSelectGroup| {
                        let mut converted = v1::SessionConfigSelectGroup::new(
                            group.group_id,
                            group.name,
                            group.options,
                        );
                        converted.meta = group.meta;
                        converted
                    };
                    SessionConfigSelectOptions::Grouped(groups.into_iter().map(group).collect())
                }
            };
            SessionConfigKind::Select(SessionConfigSelect::new(select.current_value, options))
        }
        v2::SessionConfigKind::Boolean(boolean) => SessionConfigKind::Boolean(boolean),
        v2::SessionConfigKind::Unknown(unknown) => {
            SessionConfigKind::Unknown(renamed(unknown, "configId", "id"))
        }
    };
    let mut converted = SessionConfigOption::new(option.config_id, option.name, kind);
    converted.description = option.description;
    converted.category = option.category;
    converted.meta = option.meta;
    converted
}

/// Converts a config option to version 2.
pub fn to_v2_option(option: &SessionConfigOption) -> v2::SessionConfigOption {
    let kind = match &option.kind {
        SessionConfigKind::Select(select) => {
            let options = match &select.options {
                SessionConfigSelectOptions::Ungrouped(options) => {
                    v2::SessionConfigSelectOptions::Ungrouped(options.clone())
                }
                SessionConfigSelectOptions::Grouped(groups) => {
                    let group = |group: &v1::SessionConfigSelectGroup| SessionConfigSelectGroup {
                        meta: group.meta.clone(),
                        ..SessionConfigSelectGroup::new(
                            group.group.clone(),
                            group.name.as_str(),
                            group.options.clone(),
                        )
                    };
                    v2::SessionConfigSelectOptions::Grouped(groups.iter().map(group).collect())
                }
            };
            v2::SessionConfigKind::Select(v2::SessionConfigSelect::new(
                select.current_value.clone(),
                options,
            ))
        }
        SessionConfigKind::Boolean(boolean) => v2::SessionConfigKind::Boolean(boolean.clone()),
        SessionConfigKind::Unknown(unknown) => {
            v2::SessionConfigKind::Unknown(renamed(unknown.clone(), "id", "configId"))
        }
    };
    v2::SessionConfigOption {
        description: option.description.clone(),
        category: option.category.clone(),
        meta: option.meta.clone(),
        ..v2::SessionConfigOption::new(option.id.clone(), option.name.as_str(), kind)
    }
}

/// Renames a member of an option whose type is unknown and whose JSON is kept.
fn renamed(unknown: UnknownVariant, from: &str, to: &str) -> UnknownVariant {
    let Some(mut members) = members(&unknown.raw) else { return unknown };
    for (key, _) in members.0.iter_mut().filter(|(key, _)| *key == from) {
        to.clone_into(key);
    }
    // `encode` always writes valid JSON.
    let raw = Raw::from_text(&encode(&members)).unwrap_or(unknown.raw);
    UnknownVariant { tag: unknown.tag, raw }
}
