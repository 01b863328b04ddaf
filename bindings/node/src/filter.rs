//! Filters and scopes as JSON texts: what they are once they are checked.

use napi_derive::napi;
use sluice_filter::{Filter, Scope};

use crate::failure::Failure;

/// A scope, and what the filter that it was taken out of asks for besides.
#[napi(object)]
pub struct NativeScopedFilter {
    /// The JSON object of the scope.
    pub scope: String,
    /// The normal form of the rest of the filter.
    pub filter: String,
}

/// The normal form of a filter.
#[napi(catch_unwind)]
pub fn filter_normal_form(json: String) -> napi::Result<String> {
    let filter = Filter::parse(&json).map_err(Failure::from)?;
    Ok(filter.normal_form())
}

/// Takes the scope out of a filter that has its keys at the top level.
#[napi(catch_unwind)]
pub fn scope_lift(json: String) -> napi::Result<NativeScopedFilter> {
    let (scope, filter) = Scope::lift(&json).map_err(Failure::from)?;
    Ok(NativeScopedFilter { scope: scope.to_json(), filter: filter.normal_form() })
}

/// A checked scope in its one form.
#[napi(catch_unwind)]
pub fn scope_parse(json: String) -> napi::Result<String> {
    let scope = Scope::parse(&json).map_err(Failure::from)?;
    Ok(scope.to_json())
}
