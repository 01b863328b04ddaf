//! Which targets a search may find, one bit each.
//!
//! The one idea: a kernel answers with a mask of 32 targets, so that a set of targets costs one `and` a panel.

use crate::kernels::TARGETS;

/// A set of targets. Bit `t % 32` of word `t / 32` is target `t`; targets past the end are not in it.
#[derive(Clone, Debug, Default)]
pub struct Admitted(Vec<u32>);

impl Admitted {
    /// Puts a target in.
    pub fn insert(&mut self, target: u32) {
        let panel = target as usize / TARGETS;
        if panel >= self.0.len() {
            self.0.resize(panel + 1, 0);
        }
        self.0[panel] |= 1 << (target as usize % TARGETS);
    }

    /// The targets of a panel that are in.
    pub(crate) fn of_panel(&self, panel: usize) -> u32 {
        self.0.get(panel).copied().unwrap_or(0)
    }
}

impl FromIterator<u32> for Admitted {
    fn from_iter<Targets: IntoIterator<Item = u32>>(targets: Targets) -> Self {
        let mut admitted = Self::default();
        targets.into_iter().for_each(|target| admitted.insert(target));
        admitted
    }
}
