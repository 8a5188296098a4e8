//! LiteLLM's proxy in front of other servers.
