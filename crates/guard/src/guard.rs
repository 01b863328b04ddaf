//! The five guards by name, and sets of them.
//!
//! A set is five bits; its order is always the order of [`Guard`], which is also the order in which guards are asked.

use std::fmt;
use std::str::FromStr;

use crate::GuardError;

/// One kind of fact in which two similar texts may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guard {
    /// The numbers of the two texts are not the same.
    Numbers,
    /// One text denies what the other states.
    Negation,
    /// A word was replaced by its opposite.
    Antonyms,
    /// A name, a month, a weekday or an identifier was replaced by another.
    Names,
    /// The same words stand in another order, and it is not a change of sentences or clauses.
    Order,
}

impl Guard {
    /// Every guard, in the order in which they are asked.
    pub const ALL: [Self; 5] = [Self::Numbers, Self::Negation, Self::Antonyms, Self::Names, Self::Order];

    /// The stable name of the guard, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Negation => "negation",
            Self::Antonyms => "antonyms",
            Self::Names => "names",
            Self::Order => "order",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Guard {
    type Err = GuardError;

    fn from_str(name: &str) -> Result<Self, GuardError> {
        Self::ALL.into_iter().find(|guard| guard.as_str() == name).ok_or_else(|| GuardError::UnknownGuard {
            expected: "numbers, negation, antonyms, names, order",
            received: name.to_owned(),
        })
    }
}

/// A set of guards; the default is the empty set, which vetoes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Guards(u8);

impl Guards {
    /// The set without a guard.
    pub const fn empty() -> Self {
        Self(0)
    }

    /// The set of all guards.
    pub const fn all() -> Self {
        Self((1 << Guard::ALL.len()) - 1)
    }

    /// This set and one more guard.
    #[must_use]
    pub const fn with(self, guard: Guard) -> Self {
        Self(self.0 | guard.bit())
    }

    /// This set less one guard.
    #[must_use]
    pub const fn without(self, guard: Guard) -> Self {
        Self(self.0 & !guard.bit())
    }

    /// Whether the set holds this guard.
    pub const fn contains(self, guard: Guard) -> bool {
        self.0 & guard.bit() != 0
    }

    /// Whether the set holds no guard.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The guards of the set in the order of [`Guard`].
    pub fn iter(self) -> impl Iterator<Item = Guard> {
        Guard::ALL.into_iter().filter(move |&guard| self.contains(guard))
    }
}

impl FromIterator<Guard> for Guards {
    fn from_iter<I: IntoIterator<Item = Guard>>(guards: I) -> Self {
        guards.into_iter().fold(Self::empty(), Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_unknown_ones_are_refused() {
        for guard in Guard::ALL {
            assert_eq!(guard.as_str().parse(), Ok(guard));
            assert_eq!(guard.to_string(), guard.as_str());
        }
        let error = "Numbers".parse::<Guard>().unwrap_err();
        assert_eq!(error.code(), "GUARD_UNKNOWN");
        assert!(error.to_string().contains("\"Numbers\""), "{error}");
    }

    #[test]
    fn the_error_names_every_guard() {
        let GuardError::UnknownGuard { expected, .. } = "".parse::<Guard>().unwrap_err();
        assert_eq!(expected, Guard::ALL.map(Guard::as_str).join(", "));
    }

    #[test]
    fn a_set_holds_what_was_put_in_and_lists_it_in_order() {
        let guards: Guards = [Guard::Order, Guard::Numbers].into_iter().collect();
        assert_eq!(guards.iter().collect::<Vec<_>>(), [Guard::Numbers, Guard::Order]);
        assert!(guards.contains(Guard::Order) && !guards.contains(Guard::Names));
        assert_eq!(guards.without(Guard::Order), Guards::empty().with(Guard::Numbers));
        assert!(Guards::empty().is_empty() && Guards::default().is_empty());
        assert_eq!(Guard::ALL.into_iter().collect::<Guards>(), Guards::all());
    }
}
