//! What counts as a difference in a fact, case by case, and the laws that hold for every text.

use proptest::prelude::*;
use sluice_guard::{Facts, Guard, Guards, veto};

fn assert_verdicts(cases: &[(&str, &str, Option<Guard>)], guards: Guards) {
    for &(a, b, expected) in cases {
        assert_eq!(veto(a, b, guards), expected, "{a:?} / {b:?}");
        assert_eq!(veto(b, a, guards), expected, "{b:?} / {a:?}");
    }
}

#[test]
fn numbers() {
    let differ = Some(Guard::Numbers);
    assert_verdicts(
        &[
            ("The contract ends on October 15th", "The contract ends on October 16th", differ),
            ("v1.2 is supported", "v1.3 is supported", differ),
            ("version 1.1", "version 1.10", differ),
            ("The train leaves at 9:15.", "The train leaves at 9:45.", differ),
            ("It grew by 5%", "It grew by 15%", differ),
            ("A change of -5 degrees", "A change of 5 degrees", differ),
            ("after two years", "after three years", differ),
            ("for one year", "for two years", differ),
            ("use utf8", "use utf16", differ),
            ("10² metres", "10³ metres", differ),
            ("the port is 6379", "the port", differ),
            ("It costs 1,000 pounds", "It costs 1000 pounds", None),
            ("It costs 2 million", "It costs 2,000,000", None),
            ("It costs a thousand pounds", "It costs 1000 pounds", None),
            ("twenty-five of them", "25 of them", None),
            ("one year", "1 year", None),
            ("at 08:30", "at 8:30", None),
            ("5% of all", "5 percent of all", None),
            ("the 15th of May", "the 15 of May", None),
            ("emits CO₂", "emits CO2", None),
            ("١٢ كتابا", "12 كتابا", None),
            ("Install it.", "1. Install it.", None),
            ("Install it.", "<h2>Install it.</h2>", None),
            ("Install it.", "Install it.&#160;", None),
            // A text that says it was cut is not held to what comes after.
            ("It was built in the year 1876 by two men", "It was built in the...", None),
            ("It was built in the year 1876 by two men", "It was built in the year 18...", None),
            ("It was built in the year 1876 by two men", "It was built in the year 1877 by...", differ),
        ],
        Guards::empty().with(Guard::Numbers),
    );
}

#[test]
fn negation() {
    let differ = Some(Guard::Negation);
    assert_verdicts(
        &[
            ("The API is intended for use.", "The API is not intended for use.", differ),
            ("It can be changed.", "It can't be changed.", differ),
            ("It can be changed.", "It cannot be changed.", differ),
            ("He always pays.", "He never pays.", differ),
            ("coffee with milk", "coffee without milk", differ),
            ("It is supported.", "It is no longer supported.", differ),
            ("It isn't changed.", "It is not changed.", None),
            ("It isn\u{2019}t changed.", "It isnt changed.", None),
            ("It won&#39;t do.", "It will not do.", None),
            ("It is fast.", "It is not only fast.", None),
            ("It is fast and small.", "It is not just fast but small.", None),
            ("Whether it works is open.", "Whether or not it works is open.", None),
            ("It is late.", "It is no doubt late.", None),
            ("It shows 404 errors.", "It shows no 404 errors.", differ),
            ("I said so. He left.", "I said no. He left.", differ),
            ("See number 5.", "See No. 5.", None),
            ("It makes no difference.", "No, it makes no difference.", None),
            ("neither red nor blue", "neither red or blue", None),
            // An added sentence says nothing against the others.
            ("Your order was sent.", "Your order was sent. Do not reply to this message.", None),
            ("Your order was sent. We will call.", "Your order was sent. Do not reply. We will call.", None),
            // Two turns are none.
            ("It is not possible to undo.", "It is impossible to undo.", None),
            ("The shop is not yet open.", "The shop is yet closed.", None),
        ],
        Guards::empty().with(Guard::Negation).with(Guard::Antonyms),
    );
}

#[test]
fn antonyms() {
    let differ = Some(Guard::Antonyms);
    assert_verdicts(
        &[
            ("How do I turn on dark mode?", "How do I turn off dark mode?", differ),
            ("open port 6379", "closed port 6379", differ),
            ("Run this before the update.", "Run this after the update.", differ),
            ("Caching is enabled.", "Caching is disabled.", differ),
            ("Includes drafts.", "Excludes drafts.", differ),
            ("Prices rose sharply.", "Prices fell sharply.", differ),
            ("the unsigned image", "the signed image", differ),
            ("He said it quickly.", "He stated it rapidly.", None),
            ("a big house", "a large house", None),
            ("The light was on.", "The ligth was on.", None),
        ],
        Guards::empty().with(Guard::Antonyms),
    );
}

#[test]
fn names() {
    let differ = Some(Guard::Names);
    assert_verdicts(
        &[
            ("We stayed in Norway for a week.", "We stayed in Sweden for a week.", differ),
            ("the embassy in Iran", "the embassy in Iraq", differ),
            ("the coast of Niger", "the coast of Nigeria", differ),
            ("We met in May there.", "We met in June there.", differ),
            ("closed on monday", "closed on tuesday", differ),
            ("Call readFile to begin.", "Call writeFile to begin.", differ),
            ("Set max_size first.", "Set min_size first.", differ),
            ("Fixed by a3f9c2e1.", "Fixed by b3f9c2e1.", differ),
            ("Later Portugal ceded its hold to Spain.", "Later Spain ceded its hold to Portugal.", differ),
            ("the guide of Mr Holmes", "the guide of Sherlock Holmes", None),
            ("We went to Birmingham.", "We went to Brimingham.", None),
            ("the weekend of the Italians", "the weekend of Italy", None),
            ("in Jan 2020", "in January 2020", None),
            ("We saw Spain and Portugal.", "We saw Portugal and Spain.", None),
            ("How To Start The Server", "How To Begin The Server", None),
            ("We stayed in Norway.", "We stayed there.", None),
            ("we stayed in norway.", "We stayed in Norway.", None),
        ],
        Guards::empty().with(Guard::Names),
    );
}

#[test]
fn order() {
    let differ = Some(Guard::Order);
    assert_verdicts(
        &[
            ("the dog bit the man", "the man bit the dog", differ),
            ("sort by name then date", "sort by date then name", differ),
            ("from 5 to 10", "from 10 to 5", differ),
            ("It rained. We left.", "We left. It rained.", None),
            ("When it rained, we left.", "We left when it rained.", None),
            ("red, green, blue", "blue, red, green", None),
            ("the dog bit the man", "THE DOG: bit the man!", None),
            ("the dog bit the man", "the dog bit the boy", None),
        ],
        Guards::empty().with(Guard::Order),
    );
}

#[test]
fn the_first_rule_in_order_answers_and_an_empty_set_never() {
    let (a, b) = ("It has 5 doors and is open.", "It has 6 doors and is not closed.");
    assert_eq!(veto(a, b, Guards::all()), Some(Guard::Numbers));
    assert_eq!(veto(a, b, Guards::empty()), None);
}

#[test]
fn texts_without_words_have_no_facts() {
    for (a, b) in [("", ""), ("", "..."), ("!!!", "\u{1f600}"), ("<p>", "&amp;")] {
        assert_eq!(veto(a, b, Guards::all()), None, "{a:?} {b:?}");
    }
}

/// Texts of about a megabyte that are made to be slow; without the bounds each of these takes minutes or more.
#[test]
fn hostile_texts_are_answered_in_bounded_time() {
    const BYTES: usize = 1 << 20;
    let fill = |piece: &str| piece.repeat(BYTES / piece.len());
    let counted = |step: usize| {
        let words: Vec<_> = (0..100_000).map(|n| format!("w{}x", n * step % 99_991)).collect();
        words.join(" ")
    };
    let texts = [
        fill("a b "),
        fill("b a "),
        fill("a "),
        counted(1),
        counted(7),
        fill("a1"),
        fill("9"),
        fill("million "),
        fill("<p "),
        fill("a'"),
        fill("not just "),
        fill("Alpha beta "),
        fill("a, b. "),
        fill("\u{4e00}"),
    ];
    let facts: Vec<Facts> = texts.iter().map(|text| Facts::of(text)).collect();
    let mut verdicts = 0;
    for pair in facts.windows(2) {
        for guards in [Guards::all(), Guards::empty().with(Guard::Names), Guards::empty().with(Guard::Order)]
        {
            verdicts += usize::from(pair[0].differ(&pair[1], guards).is_some());
        }
    }
    assert!(verdicts > 0);
}

/// Words that matter to some guard, so that random texts meet every branch.
fn text() -> impl Strategy<Value = String> {
    let words = [
        "not",
        "no",
        "isn't",
        "open",
        "closed",
        "on",
        "off",
        "impossible",
        "possible",
        "5",
        "1,000",
        "two",
        "one",
        "million",
        "twenty",
        "Norway",
        "Sweden",
        "Monday",
        "May",
        "readFile",
        "a_b",
        "the",
        "and",
        "neither",
        "nor",
        "but",
        ",",
        ".",
        "...",
        "\n",
        "<p>",
        "&#39;",
        "-3",
        "\u{e9}",
        "a3f9c2e1",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..14).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn the_verdict_is_symmetric(a in text(), b in text(), wild in "\\PC{0,40}") {
        for (a, b) in [(&a, &b), (&a, &wild)] {
            for guards in [Guards::all(), Guards::empty().with(Guard::Names), Guards::empty().with(Guard::Antonyms), Guards::empty().with(Guard::Order)] {
                prop_assert_eq!(veto(a, b, guards), veto(b, a, guards));
            }
        }
    }

    #[test]
    fn a_text_agrees_with_itself_in_any_case_and_spacing(a in text()) {
        prop_assert_eq!(veto(&a, &a, Guards::all()), None);
        prop_assert_eq!(veto(&a, &a.replace(' ', "  "), Guards::all()), None);
    }

    #[test]
    fn a_smaller_set_of_guards_never_finds_more(a in text(), b in text()) {
        let each: Vec<Guard> = Guard::ALL.into_iter().filter(|&guard| veto(&a, &b, Guards::empty().with(guard)).is_some()).collect();
        prop_assert_eq!(veto(&a, &b, Guards::all()), each.first().copied());
    }
}
