//! Which rows of a collection have to be looked at for a filter.
//!
//! The one idea: indexes only ever narrow, [`Filter::matches`] decides. Where the top level of a filter demands that a scope
//! key equals a string, the rows of that string (and of lists, which may hold it) are looked at instead of all.

use rusqlite::Connection;
use serde_json::Value;
use sluice_filter::Filter;

use crate::StoreError;
use crate::layout::SCOPE_KEYS;
use crate::payload::LIST;

/// The order in which rows come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By id; only those after a given one.
    ById,
    /// As it is cheapest.
    Any,
}

/// The rows to look at.
pub struct Candidates {
    generation: u64,
    scope: Option<Narrowed>,
}

struct Narrowed {
    key: &'static str,
    value: String,
    /// Whether some row holds a list under the key. Without any, the rows of one string come in order of their ids.
    lists: bool,
}

impl Candidates {
    /// Finds out how a filter narrows a collection.
    pub fn new(connection: &Connection, generation: u64, filter: &Filter) -> Result<Self, StoreError> {
        let scope = match demanded_scope(filter) {
            None => None,
            Some((key, value)) => {
                let mut statement = connection.prepare_cached(&format!(
                    "SELECT EXISTS (SELECT 1 FROM point_{generation} WHERE {key} = ?1)"
                ))?;
                let lists = statement.query_row([LIST], |row| row.get(0))?;
                Some(Narrowed { key, value, lists })
            }
        };
        Ok(Self { generation, scope })
    }

    /// The statement that gives `columns` of the rows. `?1` is the id to go on after, `?2` the value of the scope.
    pub fn select(&self, columns: &str, order: Order) -> String {
        let table = format!("point_{}", self.generation);
        let index = match (&self.scope, order) {
            (Some(scope), _) => format!("INDEXED BY {table}_{}", scope.key),
            (None, Order::ById) => format!("INDEXED BY {table}_id"),
            (None, Order::Any) => "NOT INDEXED".to_owned(),
        };
        let scope = match &self.scope {
            Some(Narrowed { key, lists: true, .. }) => format!("{key} IN (?2, x'')"),
            Some(Narrowed { key, lists: false, .. }) => format!("{key} = ?2"),
            None => "?2 IS NULL".to_owned(),
        };
        let (after, order) = match order {
            Order::ById => ("id > ?1", "ORDER BY id"),
            Order::Any => ("?1 IS NOT NULL", ""),
        };
        format!("SELECT {columns} FROM {table} {index} WHERE {scope} AND {after} {order}")
    }

    /// The second parameter of [`Self::select`].
    pub fn scope(&self) -> Option<&str> {
        self.scope.as_ref().map(|scope| scope.value.as_str())
    }
}

/// The narrowest scope key that every match must hold, and its value.
fn demanded_scope(filter: &Filter) -> Option<(&'static str, String)> {
    if filter.is_everything() {
        return None;
    }
    let tree: Value = serde_json::from_str(&filter.normal_form()).ok()?;
    let conditions = match tree.get("all") {
        Some(Value::Array(conditions)) => conditions.as_slice(),
        _ => std::slice::from_ref(&tree),
    };
    SCOPE_KEYS.into_iter().find_map(|key| {
        let demands = |condition: &&Value| condition.get("field").and_then(Value::as_str) == Some(key);
        let value = conditions.iter().filter(demands).find_map(|condition| condition.get("eq")?.as_str())?;
        Some((key, value.to_owned()))
    })
}

/// Whether a stored payload passes a filter.
pub fn passes(filter: &Filter, payload: &str) -> Result<bool, StoreError> {
    if filter.is_everything() {
        return Ok(true);
    }
    let payload: Value =
        serde_json::from_str(payload).map_err(|_| StoreError::Damaged { what: "a payload is no JSON" })?;
    Ok(filter.matches(&payload))
}
