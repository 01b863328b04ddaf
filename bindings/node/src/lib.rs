//! The Node-API binding: every JavaScript value that crosses into the Rust core, and back, crosses here.
//!
//! It converts values and puts the core's steps together; what a record, a score or a filter means is decided below it.
//! Long work runs on threads of its own (`job`), errors cross as data (`failure`), cancelling and progress go through a
//! `NativeControl` that JavaScript polls. Classes and objects are named `Native*`, functions by what they do; every one
//! catches panics. `src/native.ts` loads them, and users meet none.

#![cfg_attr(test, allow(dead_code, reason = "a test build does not register the exports"))]
#![allow(clippy::needless_pass_by_value, reason = "Node-API hands over owned values")]
#![allow(clippy::trivially_copy_pass_by_ref, reason = "Node-API lends its environment")]
#![allow(
    clippy::result_large_err,
    reason = "a failure crosses at most once a call: its size is of no account"
)]

mod batch;
mod control;
mod embedder;
mod failure;
mod filter;
mod guard;
mod held;
mod index;
mod info;
mod job;
mod outcome;
mod packed;
mod reference;
mod rules;
mod source;
mod store;
mod tokenizer;
mod translate;
mod typicality;
mod view;
mod workers;
