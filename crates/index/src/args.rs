//! The arguments of a backend: names and numbers, each checked by the backend that takes them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::IndexError;

/// Arguments by name. A backend says which it takes ([`BackendArgs::only`]) and reads them with their defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BackendArgs(BTreeMap<String, f64>);

impl BackendArgs {
    /// Sets an argument.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: f64) -> Self {
        self.0.insert(name.into(), value);
        self
    }

    /// The names and values, in order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, &value)| (name.as_str(), value))
    }

    /// Refuses any name but those of `known`.
    ///
    /// # Errors
    /// [`IndexError::ArgumentUnknown`], which lists them.
    pub fn only(&self, backend: &'static str, known: &[&str]) -> Result<(), IndexError> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(IndexError::ArgumentUnknown {
                backend,
                expected: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
                received: name.clone(),
            }),
        }
    }

    /// A whole number in a range, or its default.
    ///
    /// # Errors
    /// [`IndexError::Argument`].
    pub fn whole(
        &self,
        name: &'static str,
        default: u32,
        range: RangeInclusive<u32>,
    ) -> Result<u32, IndexError> {
        let Some(&received) = self.0.get(name) else { return Ok(default) };
        let fits = received.fract() == 0.0
            && (f64::from(*range.start())..=f64::from(*range.end())).contains(&received);
        if fits {
            return Ok(received as u32);
        }
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        Err(IndexError::Argument { name, expected, received })
    }
}
