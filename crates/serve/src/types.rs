//! The TypeScript types of everything that is sent, which `types.ts` holds for the page.

use crate::extension::messages;
use attache_view::{
    CommandItem, OptionItem, QuestionView, Row, SessionListView, StatusLine, ToolCallRow,
};
use std::collections::BTreeMap;
use std::path::Path;
use ts_rs::{Config, TS, TypeVisitor};

/// The declarations of all types that the values use, by name.
struct Declarations {
    config: Config,
    found: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Types without a path are built in.
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(&self.config);
        if self.found.contains_key(&name) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        let declaration = format!("{docs}export {}\n", T::decl(&self.config));
        self.found.insert(name, declaration);
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

/// Returns the TypeScript types of everything that a front end shows.
fn types() -> String {
    let config = Config::new().with_large_int("number");
    let mut declarations = Declarations { config, found: BTreeMap::new() };
    declarations.visit::<Row>();
    declarations.visit::<StatusLine>();
    declarations.visit::<OptionItem>();
    declarations.visit::<CommandItem>();
    declarations.visit::<QuestionView>();
    declarations.visit::<SessionListView>();
    declarations.visit::<ToolCallRow>();
    messages::visit_types(&mut declarations);
    let head = "// The values that a front end shows, as JSON. The test `types` of attache-serve writes\n\
                // this file with UPDATE_DOCS=1.\n";
    let all: Vec<String> = declarations.found.into_values().collect();
    let all = all.join("\n");
    let lines = all.lines().map(|line| format!("{}\n", line.trim_end()));
    format!("{head}\n{}", lines.collect::<String>())
}

#[test]
fn types_are_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("types.ts");
    let types = types();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &types).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    let how = "UPDATE_DOCS=1 cargo test -p attache-serve types";
    assert!(written == types, "{} is out of date: run {how}", file.display());
}
