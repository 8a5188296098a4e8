//! Scrolling, jumping, folding and clicks.
