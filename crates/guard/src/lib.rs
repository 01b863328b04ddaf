//! Do two texts that score as near-duplicates differ in a fact?
//!
//! An embedding gives "ends on October 15th" and "ends on October 16th" a cosine near 1, and the same to "turn on" and "turn
//! off". The guard looks at the words themselves and vetoes such a pair:
//!
//! ```
//! use sluice_guard::{Facts, Guard, Guards, veto};
//!
//! let guards = Guards::all().without(Guard::Order);
//! let verdict = |a, b| veto(a, b, guards).map(Guard::as_str);
//!
//! assert_eq!(verdict("The contract ends on October 15th", "The contract ends on October 16th"), Some("numbers"));
//! assert_eq!(verdict("Replies are sent", "Replies are never sent"), Some("negation"));
//! assert_eq!(verdict("How do I turn on dark mode?", "How do I turn off dark mode?"), Some("antonyms"));
//! assert_eq!(verdict("We stayed in Norway", "We stayed in Sweden"), Some("names"));
//! assert_eq!(verdict("It costs 1,000 pounds", "<p>it COSTS 1000 pounds!</p>"), None);
//!
//! // A text that is asked about often is read once.
//! let facts = Facts::of("Port 6379 is open");
//! assert_eq!(facts.differ(&Facts::of("Port 6380 is open"), guards), Some(Guard::Numbers));
//! assert_eq!(facts.differ(&Facts::of("Port 6379 isn't open"), guards), Some(Guard::Negation));
//! ```
//!
//! [`Guard`] names what may differ, [`Facts`] is what is kept of a text. [`is_number`], [`is_negation`] and [`are_antonyms`]
//! answer the same questions about single words.
//!
//! **What it is not.** It does not understand: a paraphrase that says "half" for "50%" is vetoed, and a name that nobody wrote
//! with a capital is missed. `Negation`, `Antonyms` and `Names` know English; `Numbers` and `Order` know any script with
//! spaces or digits. [`Guard::Order`] is right for edited copies and too strict for paraphrases: leave it out unless the
//! texts are versions of each other. Texts are compared as they come: bring both to one Unicode normal form first.

mod antonyms;
mod difference;
mod error;
mod facts;
mod guard;
mod markup;
mod names;
mod negation;
mod number;
mod order;
mod reader;
mod spelling;
mod word;

pub use antonyms::are_antonyms;
pub use error::GuardError;
pub use facts::Facts;
pub use guard::{Guard, Guards};
pub use negation::is_negation;
pub use number::is_number;

/// The first guard of `guards`, in the order of [`Guard`], by which the two texts differ.
///
/// Symmetric; `None` for equal texts and for an empty set. Reads both texts each time; see [`Facts::differ`] for the cost
/// after that.
pub fn veto(a: &str, b: &str, guards: Guards) -> Option<Guard> {
    Facts::of(a).differ(&Facts::of(b), guards)
}
