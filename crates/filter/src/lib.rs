//! Filter: which payloads does a condition leave, and whose are they?
//!
//! The one idea: a filter is read once into a checked tree, and [`Filter::matches`] is what it means. Everything else has to
//! agree with that: [`PayloadTable::select`] answers for all payloads at once, and a store elsewhere gets
//! [`Filter::normal_form`], a tree with nothing left to interpret, never the text that the caller wrote.
//!
//! | Type | Question |
//! |---|---|
//! | [`Filter`] | Does this payload match? |
//! | [`Scope`] | Whose memories may be seen: which user, agent, run? |
//! | [`PayloadTable`] | Which of all payloads match? |
//!
//! ```
//! use serde_json::json;
//! use sluice_filter::{Filter, PayloadTable, Scope};
//!
//! let (scope, rest) = Scope::lift(r#"{"user_id": " ada ", "priority": {"gte": 3, "lt": 9}}"#)?;
//! let filter = scope.filter().and(rest);
//!
//! let mut table = PayloadTable::new();
//! for payload in [json!({"user_id": "ada", "priority": [1, 5]}), json!({"user_id": "bob", "priority": 5})] {
//!     table.push(&payload);
//! }
//! assert_eq!(table.select(&filter).iter().collect::<Vec<_>>(), [0]);
//!
//! let error = Filter::parse(r#"{"AND": [{"priority": {"$gte": 3}}]}"#).unwrap_err();
//! assert_eq!((error.code(), error.path()), ("UNKNOWN_OPERATOR", "AND[0].priority"));
//! # Ok::<(), sluice_filter::FilterError>(())
//! ```
//!
//! # What a filter means
//!
//! Two-valued logic: a payload matches or does not.
//!
//! - Keys beside each other must all hold. `AND`: all of the list, `OR`: any of it, `NOT`: none of it. `{}` matches everything,
//!   and is refused inside a list, where it would do so unseen.
//! - The *values* of a field are the value in the payload, or every element of it that is not null if it is an array. Null,
//!   absent and `[]` have no values. A dot in a name goes into an object.
//! - `eq` and `in` want one value that is equal; a bare operand is `eq`, a bare list `in`. Types are strict: `"7"` is not `7`.
//!   Numbers are compared as 64-bit floats, as in JavaScript: `9` is `9.0`. `ne` and `nin` are the exact opposites, so that an
//!   absent field matches.
//! - `gt`, `gte`, `lt`, `lte` compare with a number or an ISO date or time, and want one value between all bounds of the
//!   condition. Times without a zone are UTC; a text that is no date never matches.
//! - `contains` looks for a text within a text; `icontains` does so after lower-casing both, character by character.
//! - A bare `"*"` wants at least one value; `{"eq": "*"}` is the star itself.
//!
//! What is absent: no scores, no store, no clock. A filter that is not understood is an error; nothing in it is ever ignored.

mod condition;
mod error;
mod field;
mod filter;
mod instant;
mod json;
mod parse;
mod scalar;
mod scope;
mod table;
mod tree;

pub use error::{Fault, FilterError};
pub use filter::Filter;
pub use scope::Scope;
pub use table::PayloadTable;
