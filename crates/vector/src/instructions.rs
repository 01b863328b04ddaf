//! Which instruction set does the work: detected once, at run time. It never changes an answer.
//!
//! The one idea: an [`Instructions`] value can only be had for a set that this CPU has, so that holding one
//! is the proof which the unsafe kernels ask for.

use std::sync::OnceLock;

/// An instruction set of this CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instructions(Set);

/// The sets with a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Set {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
}

impl Instructions {
    /// The portable kernels, which every CPU has.
    pub const SCALAR: Self = Self(Set::Scalar);

    /// The fastest set of this CPU. Looked up once, then one load.
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Instructions> = OnceLock::new();
        *DETECTED.get_or_init(|| Self::available().last().copied().unwrap_or(Self::SCALAR))
    }

    /// Every set of this CPU, the slowest first.
    pub fn available() -> Vec<Self> {
        [
            Some(Self::SCALAR),
            #[cfg(target_arch = "x86_64")]
            (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(Set::Avx2)),
            #[cfg(target_arch = "x86_64")]
            (is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni"))
                .then_some(Self(Set::Avx512Vnni)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The name of the set, for reports: `scalar`, `avx2`, `avx512-vnni`.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Set::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => "avx512-vnni",
        }
    }

    /// The set, to match on.
    pub(crate) const fn set(self) -> Set {
        self.0
    }
}
