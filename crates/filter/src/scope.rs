//! Whose memories: a user, an agent, a run.

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use crate::condition::{Condition, Test};
use crate::field::Field;
use crate::json::Json;
use crate::parse;
use crate::scalar::Scalar;
use crate::tree::Tree;
use crate::{Fault, Filter, FilterError};

/// The longest id, in characters.
const ID_CHARACTERS_MAX: usize = 256;

/// The largest whole number that JavaScript tells from its neighbours.
const SAFE_INTEGER_MAX: f64 = 9_007_199_254_740_991.0;

/// The keys of a scope, in the order in which they are written.
const KEYS: [&str; 3] = ["user_id", "agent_id", "run_id"];
const KEYS_SENTENCE: &str = "user_id, agent_id or run_id";

/// Whose memories may be seen. There is at least one id; each is trimmed, in Unicode form NFC, and free of blanks, control
/// characters and `*`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// In the order of [`KEYS`].
    ids: [Option<Box<str>>; KEYS.len()],
}

impl Scope {
    /// Reads a scope from a JSON object with `user_id`, `agent_id` or `run_id`. Ids are texts or whole numbers; null is as
    /// good as absent.
    ///
    /// # Errors
    /// The [`Fault`]s of a scope; `FILTER_SHAPE` for another key or no object.
    pub fn parse(json: &str) -> Result<Self, FilterError> {
        let json = Json::read(json)?;
        let (ids, rest) = split(&json)?;
        if rest.is_empty() {
            return Self::from_entries(ids);
        }
        Err(FilterError::new(Fault::Shape, &"", format!("no keys but {KEYS_SENTENCE}"), "another key"))
    }

    /// Takes the scope out of a filter that has its keys at the top level, and reads the rest. Further down these keys are
    /// fields like any other: they can narrow the scope, never widen it.
    ///
    /// # Errors
    /// Every [`Fault`], first those of the scope.
    pub fn lift(filter_json: &str) -> Result<(Self, Filter), FilterError> {
        let json = Json::read(filter_json)?;
        let (ids, rest) = split(&json)?;
        Ok((Self::from_entries(ids)?, parse::entries_tree(rest.into_iter())?.into()))
    }

    /// What lies within the scope.
    pub fn filter(&self) -> Filter {
        let leaf = |(key, id): (&str, &str)| {
            // The keys are names.
            let field = Field::new(key)?;
            Some(Tree::leaf(Condition { field, test: Test::Equals(Scalar::Text(id.into())) }))
        };
        Tree::all(self.entries().filter_map(leaf)).into()
    }

    /// The JSON object that [`Scope::parse`] reads.
    pub fn to_json(&self) -> String {
        let object: Map<_, _> = self.entries().map(|(key, id)| (key.to_owned(), Value::from(id))).collect();
        Value::Object(object).to_string()
    }

    fn entries(&self) -> impl Iterator<Item = (&'static str, &str)> {
        KEYS.into_iter().zip(&self.ids).filter_map(|(key, id)| Some((key, id.as_deref()?)))
    }

    fn from_entries(entries: Entries<'_>) -> Result<Self, FilterError> {
        let mut ids = [const { None }; KEYS.len()];
        for (key, value) in entries {
            let Some(slot) = KEYS.iter().position(|&known| known == key) else { continue };
            if ids[slot].is_some() {
                return Err(FilterError::new(Fault::Shape, &key, "each key once", "the key twice"));
            }
            ids[slot] = read_id(key, value)?;
        }
        if ids.iter().all(Option::is_none) {
            return Err(FilterError::new(Fault::ScopeRequired, &"", KEYS_SENTENCE, "none of them"));
        }
        Ok(Self { ids })
    }
}

/// Keys and values of an object.
type Entries<'a> = Vec<(&'a str, &'a Json)>;

/// The entries of an object that make a scope, and the others.
fn split(json: &Json) -> Result<(Entries<'_>, Entries<'_>), FilterError> {
    let Json::Object(entries) = json else {
        return Err(FilterError::new(Fault::Shape, &"", "an object", json.kind()));
    };
    Ok(entries.iter().map(|(key, value)| (key.as_str(), value)).partition(|(key, _)| KEYS.contains(key)))
}

/// An id in its one form; none for null.
fn read_id(key: &str, value: &Json) -> Result<Option<Box<str>>, FilterError> {
    let refused = |fault, expected, received| Err(FilterError::new(fault, &key, expected, received));
    let id = match value {
        Json::Null => return Ok(None),
        Json::Number(number) if number.fract() == 0.0 && number.abs() <= SAFE_INTEGER_MAX => {
            return Ok(Some((*number as i64).to_string().into()));
        }
        Json::Text(text) => text.trim().nfc().collect::<String>(),
        Json::Number(_) => {
            return refused(Fault::ScopeIdType, "a string or a whole number below 2^53", "another number");
        }
        other => return refused(Fault::ScopeIdType, "a string or a whole number", other.kind()),
    };
    if id.is_empty() {
        return refused(Fault::ScopeIdEmpty, "an id", "nothing but blanks");
    }
    if id.contains(|character: char| character.is_whitespace() || character.is_control()) {
        return refused(
            Fault::ScopeIdWhitespace,
            "an id without blanks inside",
            "a blank or a control character",
        );
    }
    if id.contains('*') {
        return refused(Fault::ScopeIdWildcard, "one id: there is no wildcard", "a *");
    }
    if id.chars().count() > ID_CHARACTERS_MAX {
        return refused(Fault::ScopeIdLong, "an id of at most 256 characters", "a longer one");
    }
    Ok(Some(id.into()))
}
