//! Numbers between 0 and 1, checked once.

use crate::RankError;

/// A part of a whole, between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(f64);

impl Share {
    /// How far above a whole number a product may lie and still be that number: 0.1 of 70 is 7, though the
    /// product of the two is a little more in binary.
    const SLACK: f64 = 1e-9;

    /// Checks a share.
    ///
    /// # Errors
    /// [`RankError::ShareOutOfRange`].
    pub fn new(share: f64) -> Result<Self, RankError> {
        checked("a share", share).map(Self)
    }

    /// The share of `total`, rounded up: at most `total`.
    pub fn of(self, total: usize) -> usize {
        ((total as f64 * self.0 - Self::SLACK).ceil().max(0.0) as usize).min(total)
    }
}

/// How much being unlike the others counts against relevance: 0 is relevance alone, 1 diversity alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diversity(f64);

impl Diversity {
    /// Checks a diversity.
    ///
    /// # Errors
    /// [`RankError::ShareOutOfRange`].
    pub fn new(diversity: f64) -> Result<Self, RankError> {
        checked("a diversity", diversity).map(Self)
    }

    /// The weight of diversity.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The weight of relevance: what diversity leaves.
    pub const fn relevance(self) -> f64 {
        1.0 - self.0
    }
}

fn checked(option: &'static str, received: f64) -> Result<f64, RankError> {
    if (0.0..=1.0).contains(&received) {
        return Ok(received);
    }
    Err(RankError::ShareOutOfRange { option, received })
}
