//! Which record of a class is preferred, and in which order the walk asks the classes.

use std::cmp::Ordering;

use crate::{Batch, DedupError, Keep, Retain};

/// The walk's order over the classes of a batch.
pub(crate) struct Order {
    /// The preferred record of each class.
    pub(crate) preferred: Vec<u32>,
    /// The classes, in the order of their preferred records.
    pub(crate) classes: Vec<u32>,
}

impl Order {
    /// Finds the preferred records and sorts the classes by them. Linear in records, `n log n` in classes unless `keep` is
    /// [`Keep::First`], which is the order of the class numbers.
    pub(crate) fn of(batch: &Batch, keep: Keep) -> Result<Self, DedupError> {
        if keep == Keep::Longest && batch.options().lengths == Retain::Drop {
            return Err(DedupError::NotKept { rule: "keep longest", expected: "lengths" });
        }
        let mut preferred = batch.first_records();
        let mut classes: Vec<u32> = (0..batch.classes() as u32).collect();
        if keep != Keep::First {
            for position in 0..batch.records() as u32 {
                let Some(class) = batch.class_of(position) else { continue };
                let best = &mut preferred[class as usize];
                if compare(batch, keep, position, *best).is_lt() {
                    *best = position;
                }
            }
            classes.sort_unstable_by(|&a, &b| {
                compare(batch, keep, preferred[a as usize], preferred[b as usize])
            });
        }
        Ok(Self { preferred, classes })
    }
}

/// Which of two records is preferred: less is better, and no two records are equal.
fn compare(batch: &Batch, keep: Keep, a: u32, b: u32) -> Ordering {
    let by_rule = match keep {
        Keep::First => Ordering::Equal,
        Keep::Longest => length(batch, b).cmp(&length(batch, a)),
        Keep::Highest => by_priority(batch.priority(a), batch.priority(b), |a, b| b.total_cmp(&a)),
        Keep::Lowest => by_priority(batch.priority(a), batch.priority(b), |a, b| a.total_cmp(&b)),
    };
    by_rule.then(a.cmp(&b))
}

fn length(batch: &Batch, position: u32) -> u32 {
    batch.entry_of(position).map_or(0, |entry| batch.length_of_entry(entry))
}

/// Records with a priority come before those without. Both zeros are one number.
fn by_priority(a: f64, b: f64, order: impl Fn(f64, f64) -> Ordering) -> Ordering {
    a.is_nan()
        .cmp(&b.is_nan())
        .then_with(|| if a.is_nan() { Ordering::Equal } else { order(a + 0.0, b + 0.0) })
}
