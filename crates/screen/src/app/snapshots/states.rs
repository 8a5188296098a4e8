//! The conversation, the composer, the status line and the popups.

use super::stage::{SIZES, Stage};
use ratatui::crossterm::event::KeyCode;

#[tokio::test]
async fn an_empty_session() {
    for size in SIZES {
        Stage::open(size).await.compare("empty");
    }
}

#[tokio::test]
async fn a_turn_with_every_kind_of_row() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.send("work", "שלום").await;
        stage.compare("turn");
        stage.key(KeyCode::Tab);
        stage.key(KeyCode::Home);
        stage.compare("turn-top");
    }
}

#[tokio::test]
async fn a_long_answer_above_a_long_text() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.send("long", "60. line").await;
        stage.write(
            "日本語 👩‍🔬 שלום עולם and a text that needs more than one line on any of the screens",
        );
        stage.compare("composer");
        stage.key(KeyCode::Tab);
        stage.key(KeyCode::PageUp);
        stage.compare("reading");
    }
}

#[tokio::test]
async fn prompts_wait_while_a_turn_runs() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.send("wait", "I begin").await;
        for prompt in ["hello", "次 👍🏽 שלום", "third", "fourth"] {
            stage.send(prompt, "waiting for their turn").await;
        }
        stage.compare("queue");
        stage.alt('q');
        stage.compare("queue-panel");
        stage.key(KeyCode::Esc);
        stage.key(KeyCode::Esc);
        stage.until("queue paused").await;
        stage.compare("queue-paused");
    }
}

#[tokio::test]
async fn lists_of_commands_and_files_over_the_composer() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.write("/");
        stage.compare("commands");
        stage.write("ü");
        stage.compare("commands-found");
        stage.ctrl('c');
        stage.write("look at @");
        stage.until("3 of 3 files").await;
        stage.compare("files");
    }
}

#[tokio::test]
async fn a_turn_that_fails() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.send("fail", "the turn failed").await;
        stage.compare("turn-failed");
        stage.send("hello", "Hello.").await;
        stage.compare("turn-after-failure");
    }
}

#[tokio::test]
async fn messages_of_the_screen() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage
            .app
            .notices
            .warning("the theme file has a mistake in line 3, column 7: \"colour\" is unknown");
        stage.app.notices.error("the file 漢字.txt was not attached: it is larger than 1 MiB");
        stage.app.notices.info("copied 3 lines");
        stage.compare("messages");
    }
}

#[tokio::test]
async fn several_sessions_and_a_question_elsewhere() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.send("run", "Allow").await;
        stage.write("/new");
        stage.key(KeyCode::Esc);
        stage.key(KeyCode::Enter);
        stage.until("Ask").await;
        stage.until("elsewhere").await;
        stage.compare("tabs");
        stage.alt('a');
        stage.compare("attention");
    }
}
