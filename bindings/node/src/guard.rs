//! Guards by name, and the question they answer about two texts.

use napi_derive::napi;
use sluice_guard::{Guard, GuardError, Guards};

use crate::failure::Failure;

/// The first of the named guards by which two texts differ, if any.
#[napi(catch_unwind)]
pub fn veto(a: String, b: String, guards: Vec<String>) -> napi::Result<Option<String>> {
    Ok(sluice_guard::veto(&a, &b, guards_named(&guards)?).map(|guard| guard.as_str().to_owned()))
}

/// The set of some guards.
pub fn guards_named(names: &[String]) -> Result<Guards, Failure> {
    names.iter().map(|name| guard_named(name)).collect()
}

fn guard_named(name: &str) -> Result<Guard, Failure> {
    name.parse().map_err(|_: GuardError| Failure {
        field: Some("guards".to_owned()),
        expected: Some(Guard::ALL.map(Guard::as_str).join(", ")),
        received: Some(name.to_owned()),
        ..Failure::new("OPTION_INVALID", "There is no guard of that name.")
    })
}
