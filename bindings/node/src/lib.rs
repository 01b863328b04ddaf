//! The Node-API binding: every JavaScript value that crosses into the Rust core, and back, crosses here.
//!
//! It converts and delegates; it decides nothing. Long work runs on threads of its own (`job`), errors cross as data
//! (`failure`), cancelling and progress go through a `Control` that JavaScript polls. Everything exported is named
//! `Native*` and is wrapped by `src/native.ts` before a user meets it.

mod batch;
mod control;
mod embedder;
mod failure;
mod info;
mod job;
mod outcome;
mod packed;
mod reference;
mod representative;
mod rules;
mod source;
mod translate;
