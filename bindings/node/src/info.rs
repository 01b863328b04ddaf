//! What the native core is and what it found on this machine.

use napi_derive::napi;
use sluice_vector::Instructions;

/// Facts for `sluice doctor`.
#[napi(object)]
pub struct NativeInfo {
    /// Version of the core.
    pub version: String,
    /// Instruction set in use.
    pub instructions: String,
    /// Instruction sets this CPU could use.
    pub available: Vec<String>,
    /// What the core was built for.
    pub target: String,
}

/// What the core is and which instructions it uses here.
#[napi(catch_unwind)]
pub fn info() -> NativeInfo {
    let names = Instructions::available().iter().map(|set| set.name().to_owned()).collect();
    NativeInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        instructions: Instructions::detect().name().to_owned(),
        available: names,
        target: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
    }
}

/// Seconds since 1970-01-01 UTC of a date or an RFC 3339 time, by the one reading of dates that files have too.
#[napi(catch_unwind)]
pub fn date_seconds(text: String) -> Option<f64> {
    sluice_corpus::date_seconds(&text)
}
