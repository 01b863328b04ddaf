//! The five rules by name, and sets of them.
//!
//! A set is five bits; its order is always the order of [`Rule`], which is also the order in which rules are asked.

use std::fmt;
use std::str::FromStr;

use crate::GuardError;

/// One kind of fact in which two similar texts may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
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

impl Rule {
    /// Every rule, in the order in which they are asked.
    pub const ALL: [Self; 5] = [Self::Numbers, Self::Negation, Self::Antonyms, Self::Names, Self::Order];

    /// The stable name of the rule, in lower case.
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

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Rule {
    type Err = GuardError;

    fn from_str(name: &str) -> Result<Self, GuardError> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == name).ok_or_else(|| GuardError::UnknownRule {
            expected: "numbers, negation, antonyms, names, order",
            received: name.to_owned(),
        })
    }
}

/// A set of rules; the default is the empty set, which vetoes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Rules(u8);

impl Rules {
    /// The set without a rule.
    pub const fn empty() -> Self {
        Self(0)
    }

    /// The set of all rules.
    pub const fn all() -> Self {
        Self((1 << Rule::ALL.len()) - 1)
    }

    /// This set and one more rule.
    #[must_use]
    pub const fn with(self, rule: Rule) -> Self {
        Self(self.0 | rule.bit())
    }

    /// This set less one rule.
    #[must_use]
    pub const fn without(self, rule: Rule) -> Self {
        Self(self.0 & !rule.bit())
    }

    /// Whether the set holds this rule.
    pub const fn contains(self, rule: Rule) -> bool {
        self.0 & rule.bit() != 0
    }

    /// Whether the set holds no rule.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The rules of the set in the order of [`Rule`].
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.into_iter().filter(move |&rule| self.contains(rule))
    }
}

impl FromIterator<Rule> for Rules {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        rules.into_iter().fold(Self::empty(), Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_unknown_ones_are_refused() {
        for rule in Rule::ALL {
            assert_eq!(rule.as_str().parse(), Ok(rule));
            assert_eq!(rule.to_string(), rule.as_str());
        }
        let error = "Numbers".parse::<Rule>().unwrap_err();
        assert_eq!(error.code(), "GUARD_UNKNOWN_RULE");
        assert!(error.to_string().contains("\"Numbers\""), "{error}");
    }

    #[test]
    fn the_error_names_every_rule() {
        let GuardError::UnknownRule { expected, .. } = "".parse::<Rule>().unwrap_err();
        assert_eq!(expected, Rule::ALL.map(Rule::as_str).join(", "));
    }

    #[test]
    fn a_set_holds_what_was_put_in_and_lists_it_in_order() {
        let rules: Rules = [Rule::Order, Rule::Numbers].into_iter().collect();
        assert_eq!(rules.iter().collect::<Vec<_>>(), [Rule::Numbers, Rule::Order]);
        assert!(rules.contains(Rule::Order) && !rules.contains(Rule::Names));
        assert_eq!(rules.without(Rule::Order), Rules::empty().with(Rule::Numbers));
        assert!(Rules::empty().is_empty() && Rules::default().is_empty());
        assert_eq!(Rule::ALL.into_iter().collect::<Rules>(), Rules::all());
    }
}
