//! Errors: the envelope, and every way to get one.

mod bodies;
mod envelope;
mod wire;
