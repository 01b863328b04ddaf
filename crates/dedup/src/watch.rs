//! How a walk is watched and stopped. Progress comes as values; time is the watcher's business.

/// Watches a walk. Methods are called from worker threads and must be quick.
pub trait Watch: Sync {
    /// Whether to stop: asked every few milliseconds.
    fn cancelled(&self) -> bool {
        false
    }

    /// Whether the walk may hold so many bytes beside the batch and the reference: asked once a block, and whenever a join has
    /// found pairs.
    fn may_hold(&self, bytes: usize) -> bool {
        let _ = bytes;
        true
    }

    /// A step begins or goes on, with `done` of `total` classes (or records) behind it. The time from this call to the next
    /// belongs to `step`.
    fn step(&self, step: Step, done: u64, total: u64) {
        let _ = (step, done, total);
    }
}

/// Watches nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// What a walk is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Finding the preferred records, their order, and how rare each shingle is.
    Order,
    /// Asking a block for lexical duplicates.
    Lexical,
    /// Asking a block for semantic duplicates.
    Semantic,
    /// Deciding a block, one class after the other.
    Resolve,
    /// Writing down the outcome of every record.
    Spell,
}

impl Step {
    /// The steps in the order in which a report lists them.
    pub const ALL: [Self; 5] = [Self::Order, Self::Lexical, Self::Semantic, Self::Resolve, Self::Spell];

    /// The name of the step in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Lexical => "lexical",
            Self::Semantic => "semantic",
            Self::Resolve => "resolve",
            Self::Spell => "spell",
        }
    }
}
