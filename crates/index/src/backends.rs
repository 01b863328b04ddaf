//! The backends by name. The one place that knows them all.

use sluice_vector::{Dimension, Metric};

use crate::backend::{Backend, BackendKind};
use crate::{BackendArgs, IndexError, flat, hnsw};

/// Every backend, in the order in which they are listed to a user.
pub const BACKENDS: &[BackendKind] = &[flat::KIND, hnsw::KIND];

/// The backend of a name.
pub(crate) fn kind(name: &str) -> Result<&'static BackendKind, IndexError> {
    BACKENDS.iter().find(|kind| kind.name == name).ok_or_else(|| IndexError::BackendUnknown {
        expected: BACKENDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", "),
        received: name.to_owned(),
    })
}

/// Makes a backend without rows.
///
/// # Errors
/// [`IndexError::BackendUnknown`], [`IndexError::ArgumentUnknown`], [`IndexError::Argument`],
/// [`IndexError::MetricUnsupported`].
pub fn create(
    name: &str,
    args: &BackendArgs,
    metric: Metric,
    dimension: Dimension,
) -> Result<Box<dyn Backend>, IndexError> {
    (kind(name)?.create)(args, metric, dimension)
}
