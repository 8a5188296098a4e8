//! Questions and panels.

use super::stage::{SIZES, Stage};
use ratatui::crossterm::event::KeyCode;

#[tokio::test]
async fn a_question_about_a_change() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.send("edit", "Allow").await;
        stage.compare("question-edit");
        stage.answer(KeyCode::Char('w')).await;
        stage.write("全部 שלום");
        stage.compare("question-why");
    }
}

#[tokio::test]
async fn a_question_about_a_command() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.send("run", "Allow").await;
        stage.compare("question-run");
    }
}

#[tokio::test]
async fn an_answer_is_logged_once_in_the_name_of_the_screen() {
    let mut stage = Stage::open(SIZES[0]).await;
    stage.send("run", "Allow").await;
    stage.answer(KeyCode::Char('n')).await;
    assert_eq!(stage.answered_by().await, [Some("screen".to_owned())]);
}

#[tokio::test]
async fn a_form() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.send("form", "Who are you?").await;
        stage.compare("form");
    }
}

#[tokio::test]
async fn a_page() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.send("page", "evil.example").await;
        stage.compare("page");
    }
}

#[tokio::test]
async fn panels_that_a_key_opens() {
    for size in SIZES {
        let mut stage = Stage::open(size).await;
        stage.send("work", "שלום").await;
        for (name, letter) in [("settings", 'o'), ("models", 'm'), ("queue-empty", 'q')] {
            stage.alt(letter);
            stage.compare(name);
            stage.key(KeyCode::Esc);
        }
        stage.write("?");
        stage.compare("help");
        stage.key(KeyCode::Esc);
        stage.ctrl('s');
        stage.until("work").await;
        stage.compare("sessions");
        stage.key(KeyCode::Esc);
        let panels = [("agents", "Agents"), ("review", "Changes"), ("notices", "Messages")];
        for (name, title) in panels {
            stage.write(&format!("/{name}"));
            stage.key(KeyCode::Esc);
            stage.key(KeyCode::Enter);
            stage.until(&format!("─ {title}")).await;
            stage.compare(name);
            stage.key(KeyCode::Esc);
        }
        stage.key(KeyCode::Tab);
        stage.write("/total");
        stage.compare("search");
        stage.key(KeyCode::Enter);
        stage.compare("search-found");
    }
}
