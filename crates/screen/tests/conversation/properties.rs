//! What holds for every text and every order of updates.
