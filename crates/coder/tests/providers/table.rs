//! The table of all models that the program offers.

use crate::columns::{Cell, Column, models};
use crate::server::Mock;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Models of OpenRouter, which has no rows.
const OPENROUTER: [&str; 4] = [
    "openrouter/anthropic/claude-sonnet-5-5",
    "openrouter/openai/gpt-6.1-sol",
    "openrouter/google/gemini-3.8-flash",
    "openrouter/deepseek/deepseek-v4-pro",
];

/// The number of cells that are filled at the same time.
const AT_ONCE: usize = 8;

/// What a cell shows.
struct Filled {
    row: usize,
    column: Column,
    outcome: Result<String, String>,
}

/// Returns the ids of the models that the program offers.
fn offered(mock: &Mock) -> Vec<String> {
    let offered = models(mock, "list", &[]).offered();
    let ids = offered.iter().flat_map(|offered| &offered.models).map(|model| model.id.to_string());
    let ids = ids.filter(|id| !id.starts_with("starter/"));
    ids.chain(OPENROUTER.map(str::to_owned)).collect()
}

/// Fills a cell. A request that the provider refused is an error even if the agent recovered from
/// it, except the ones that this cell provokes.
async fn fill(mock: &Mock, row: usize, model: String, column: Column) -> Filled {
    let name = format!("cell-{row}-{}", column as usize);
    let cell = Cell { mock, name, model };
    let outcome = cell.fill(column).await;
    let refused = mock.refused(&cell.name);
    let provoked = |said: &&String| match column {
        Column::ChangeOfModel => said.contains("credit balance"),
        Column::Overflow => is_overflow(said),
        _ => false,
    };
    let others: Vec<&String> = refused.iter().filter(|said| !provoked(said)).collect();
    let outcome = match (outcome, others.first()) {
        (Ok(_), Some(said)) => Err(format!("refused, then answered: {said}")),
        (Err(why), Some(said)) => Err(format!("{why}; refused: {said}")),
        (outcome, None) => outcome,
    };
    Filled { row, column, outcome }
}

fn is_overflow(said: &str) -> bool {
    let words =
        ["prompt is too long", "context window", "maximum context length", "input token count"];
    words.iter().any(|words| said.contains(words))
}

async fn fill_all(mock: Arc<Mock>, rows: &[String]) -> Vec<Filled> {
    let free = Arc::new(Semaphore::new(AT_ONCE));
    let mut cells = JoinSet::new();
    for (row, model) in rows.iter().enumerate() {
        for column in Column::ALL {
            let (mock, free, model) = (mock.clone(), free.clone(), model.clone());
            cells.spawn(async move {
                let _permit = free.acquire().await.unwrap();
                fill(&mock, row, model, column).await
            });
        }
    }
    let mut filled = cells.join_all().await;
    filled.sort_by_key(|cell| (cell.row, cell.column));
    filled
}

fn document(rows: &[String], cells: &[Filled]) -> String {
    let mut text = "# Models and their providers\n\n\
        Each model that Attaché offers, with a mock of its provider that refuses what the provider refuses\n\
        today. Each column is a session of the built-in agent. The column \"thinking\" names the levels; the\n\
        default is in italics. `UPDATE_DOCS=1 cargo test -p attache-coder --test providers` writes this\n\
        file.\n\n"
        .to_owned();
    let names: Vec<&str> = Column::ALL.iter().map(|column| column.name()).collect();
    writeln!(text, "| model | {} |", names.join(" | ")).unwrap();
    writeln!(text, "|---|{}", "---|".repeat(names.len())).unwrap();
    for (row, model) in rows.iter().enumerate() {
        let of_row = cells.iter().filter(|cell| cell.row == row);
        let shown = of_row.map(|cell| cell.outcome.as_ref().map_or("**no**", String::as_str));
        writeln!(text, "| {model} | {} |", shown.collect::<Vec<_>>().join(" | ")).unwrap();
    }
    text
}

/// Every model works in every column, and no provider refuses a request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_model_works_with_its_provider() {
    let mock = Arc::new(Mock::start().await);
    let rows = offered(&mock);
    let cells = fill_all(mock, &rows).await;
    let failed: Vec<String> = cells
        .iter()
        .filter_map(|cell| {
            let why = cell.outcome.as_ref().err()?;
            Some(format!("{} | {} | {why}", rows[cell.row], cell.column.name()))
        })
        .collect();
    let now = document(&rows, &cells);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("PROVIDERS.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    assert!(failed.is_empty(), "{} cells failed:\n{}", failed.len(), failed.join("\n"));
    let saved = std::fs::read_to_string(file).unwrap_or_default();
    assert!(saved == now, "run again with UPDATE_DOCS=1 and look at the difference");
}
