//! Runs one program that must not be trusted.
