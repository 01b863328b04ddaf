//! The one error of this crate: a guard's name that does not exist.

use thiserror::Error;

/// Why a guard could not be set up.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GuardError {
    /// A guard was asked for by a name no guard has.
    #[error("unknown guard: expected one of {expected}, received {received:?}")]
    UnknownGuard {
        /// The names that exist, separated by commas.
        expected: &'static str,
        /// The name that came in.
        received: String,
    },
}

impl GuardError {
    /// The stable code of this error, in upper snake case.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownGuard { .. } => "GUARD_UNKNOWN",
        }
    }
}
