//! Servers of models and MCP servers that others wrote, which a new user runs with our program.

mod litellm;
mod llama_cpp;
mod llmock;
mod mcp;
mod served;
mod user;
