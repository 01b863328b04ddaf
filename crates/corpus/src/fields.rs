//! Which fields of a record are wanted, and in which roles.
//!
//! The one idea: a field may be a text column, the id and the priority at once. Decoders look for each *name* once and put what
//! they find into its slot; roles then read slots.

use crate::ReadOptions;

/// The field that names a record unless another is asked for.
const DEFAULT_ID: &str = "id";

/// The wanted names, each once, and the slot of each role.
#[derive(Debug)]
pub(crate) struct Fields {
    pub names: Vec<Name>,
    pub columns: Vec<usize>,
    pub id: usize,
    pub priority: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Name {
    pub text: String,
    pub presence: Presence,
}

/// Whether a CSV header must have a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
}

impl Fields {
    pub fn new(options: &ReadOptions) -> Self {
        let mut names = Vec::new();
        let columns = options.columns.iter().map(|name| slot(&mut names, name, Presence::Required)).collect();
        let priority = options.priority.as_ref().map(|name| slot(&mut names, name, Presence::Required));
        let id = match &options.id {
            Some(name) => slot(&mut names, name, Presence::Required),
            None => slot(&mut names, DEFAULT_ID, Presence::Optional),
        };
        Fields { names, columns, id, priority }
    }

    /// The slot of a field.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|wanted| wanted.text == name)
    }
}

fn slot(names: &mut Vec<Name>, name: &str, presence: Presence) -> usize {
    names.iter().position(|known| known.text == name).unwrap_or_else(|| {
        names.push(Name { text: name.to_owned(), presence });
        names.len() - 1
    })
}
