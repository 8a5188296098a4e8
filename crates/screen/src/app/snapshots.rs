//! Pictures of the whole screen, drawn into memory and compared as text. `INSTA_UPDATE=always`
//! writes them.

mod panels;
#[path = "../../tests/agent/scripted_agent.rs"]
mod scripted_agent;
mod stage;
mod states;
mod styles;
