//! Finds out from the environment.
