//! The language by example: what each condition matches, and what each mistake is called.

use serde_json::{Value, json};
use sluice_filter::{Filter, PayloadTable, Scope};

/// Filters, their normal form, and a payload that matches and one that does not.
#[test]
fn every_condition_has_a_normal_form_and_a_meaning() {
    for (filter, normal, matching, other) in [
        (json!({"a": 1}), json!({"field": "a", "eq": 1.0}), json!({"a": 1.0}), json!({"a": "1"})),
        (
            json!({"a": {"eq": "*"}}),
            json!({"field": "a", "eq": "*"}),
            json!({"a": ["x", "*"]}),
            json!({"a": "x"}),
        ),
        (json!({"a": "*"}), json!({"field": "a", "exists": true}), json!({"a": {}}), json!({"a": [null]})),
        (
            json!({"a": {"ne": true}}),
            json!({"none": [{"field": "a", "eq": true}]}),
            json!({}),
            json!({"a": [1, true]}),
        ),
        (
            json!({"a": [1, "x", 1]}),
            json!({"field": "a", "in": [1.0, "x"]}),
            json!({"a": "x"}),
            json!({"a": "1"}),
        ),
        (
            json!({"a": {"in": [false]}}),
            json!({"field": "a", "eq": false}),
            json!({"a": false}),
            json!({"a": 0}),
        ),
        (
            json!({"a": {"nin": [1, 2]}}),
            json!({"none": [{"field": "a", "in": [1.0, 2.0]}]}),
            json!({"a": null}),
            json!({"a": [3, 2]}),
        ),
        (
            json!({"a": {"gt": 1, "gte": 1, "lte": 9, "lt": 10}}),
            json!({"field": "a", "range": {"gt": 1.0, "lte": 9.0}}),
            json!({"a": 9}),
            // No single value lies between the bounds.
            json!({"a": [1, 10]}),
        ),
        (
            json!({"a": {"gte": "2025-01-01", "lt": "2025-01-01T02:00+01:00"}}),
            json!({"field": "a", "instants": {"gte": "2025-01-01T00:00:00Z", "lt": "2025-01-01T01:00:00Z"}}),
            json!({"a": "2024-12-31T20:30:00-04:00"}),
            json!({"a": "2025-01-01T01:00"}),
        ),
        (
            json!({"a": {"contains": "Δ_"}}),
            json!({"field": "a", "contains": "Δ_"}),
            json!({"a": ["x", "xΔ_"]}),
            json!({"a": "δ_"}),
        ),
        (
            json!({"a": {"icontains": "ÜB"}}),
            json!({"field": "a", "icontains": "üb"}),
            json!({"a": "XÜbx"}),
            json!({"a": "ub"}),
        ),
        (
            json!({"a.b": 1, "OR": [{"c": 2}, {"OR": [{"c": 3}, {"d": 4}]}]}),
            json!({"all": [
                {"any": [{"field": "c", "eq": 2.0}, {"field": "c", "eq": 3.0}, {"field": "d", "eq": 4.0}]},
                {"field": "a.b", "eq": 1.0},
            ]}),
            json!({"a": {"b": 1}, "d": 4}),
            json!({"a.b": 1, "d": 4}),
        ),
        (json!({"NOT": [{"NOT": [{"a": 1}]}]}), json!({"field": "a", "eq": 1.0}), json!({"a": 1}), json!({})),
        (
            json!({"a": {"gte": 3, "ne": 9}}),
            json!({"all": [{"none": [{"field": "a", "eq": 9.0}]}, {"field": "a", "range": {"gte": 3.0}}]}),
            json!({"a": 4}),
            json!({"a": [4, 9]}),
        ),
    ] {
        let parsed = Filter::parse(&filter.to_string()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&parsed.normal_form()).unwrap(), normal, "{filter}");
        assert!(parsed.matches(&matching), "{filter} matches {matching}");
        assert!(!parsed.matches(&other), "{filter} does not match {other}");
    }
}

#[test]
fn everything_and_nothing_are_recognised() {
    let (everything, nothing) = (r#"{"all":[]}"#, r#"{"any":[]}"#);
    for (filter, normal) in [
        (json!({}), everything),
        (json!({"a": {"nin": []}}), everything),
        (json!({"OR": [{"a": 1}, {"a": {"nin": []}}]}), everything),
        (json!({"NOT": [{"a": []}]}), everything),
        (json!({"a": []}), nothing),
        (json!({"a": 1, "b": {"in": []}}), nothing),
        (json!({"a": {"gt": 9, "lt": 5}}), nothing),
        (json!({"a": {"gt": "2025-01-01", "lt": "2025-01-01T00:00:00Z"}}), nothing),
        (json!({"NOT": [{"a": 1}, {"b": {"nin": []}}]}), nothing),
    ] {
        let parsed = Filter::parse(&filter.to_string()).unwrap();
        assert_eq!(parsed.normal_form(), normal, "{filter}");
        assert_eq!(parsed.is_everything(), normal == everything, "{filter}");
    }
    assert!(Filter::everything().is_everything());
}

/// A number one bit off would be another number to a store that is asked for equality.
#[test]
fn a_number_is_written_as_it_was_read() {
    for number in
        ["0.1", "-1.2273124615866581e-263", "1.7976931348623157e308", "5e-324", "9007199254740993.0"]
    {
        let filter = Filter::parse(&format!(r#"{{"a": {number}}}"#)).unwrap();
        let normal: Value = serde_json::from_str(&filter.normal_form()).unwrap();
        assert_eq!(normal["eq"].as_f64(), number.parse().ok(), "{number}");
    }
}

#[test]
fn keys_that_come_twice_must_both_hold() {
    let filter = Filter::parse(r#"{"tags": "x", "tags": "y", "n": {"gte": 1, "gte": 3}}"#).unwrap();
    for (payload, matches) in [
        (json!({"tags": ["x", "y"], "n": 3}), true),
        (json!({"tags": "y", "n": 3}), false),
        (json!({"tags": ["x", "y"], "n": 2}), false),
    ] {
        assert_eq!(filter.matches(&payload), matches, "{payload}");
    }
}

#[test]
fn every_mistake_has_a_code_and_a_place() {
    let many = |count: usize| (0..count).collect::<Value>();
    let conditions = |count: usize| json!({"OR": vec![json!({"a": 1}); count]});
    for (filter, code, path) in [
        (json!(["a"]), "FILTER_SHAPE", ""),
        (json!("a"), "FILTER_SHAPE", ""),
        (json!({"OR": [{"a": 1}, {}]}), "FILTER_SHAPE", "OR[1]"),
        (json!({"OR": [1]}), "FILTER_SHAPE", "OR[0]"),
        (json!({"$or": [{"a": 1}]}), "FIELD_NAME", ""),
        (json!({"AND": [{"a b": 1}]}), "FIELD_NAME", "AND[0]"),
        (json!({"AND": {"a": 1}}), "LOGICAL_LIST", "AND"),
        (json!({"NOT": []}), "LOGICAL_LIST", "NOT"),
        (json!({"AND": [{"OR": null}]}), "LOGICAL_LIST", "AND[0].OR"),
        (json!({"a.b": {}}), "EMPTY_CONDITION", "a.b"),
        (json!({"AND": [{"a": 1}, {"priority": {"$gte": 1}}]}), "UNKNOWN_OPERATOR", "AND[1].priority"),
        (json!({"a": {"eq": 1, "like": "x"}}), "UNKNOWN_OPERATOR", "a"),
        (json!({"a": null}), "OPERAND_TYPE", "a"),
        (json!({"a": {"eq": null}}), "OPERAND_TYPE", "a.eq"),
        (json!({"a": {"ne": [1]}}), "OPERAND_TYPE", "a.ne"),
        (json!({"a": {"in": "x"}}), "OPERAND_TYPE", "a.in"),
        (json!({"a": {"nin": [1, null]}}), "OPERAND_TYPE", "a.nin[1]"),
        (json!({"a": [1, {"eq": 1}]}), "OPERAND_TYPE", "a[1]"),
        (json!({"a": {"contains": ""}}), "OPERAND_TYPE", "a.contains"),
        (json!({"a": {"icontains": 5}}), "OPERAND_TYPE", "a.icontains"),
        (json!({"a": {"gt": "soon"}}), "RANGE_OPERAND", "a.gt"),
        (json!({"a": {"lte": true}}), "RANGE_OPERAND", "a.lte"),
        (json!({"a": {"gte": 1, "lt": "2025-01-01"}}), "RANGE_MIXED", "a.lt"),
        (json!({"a": {"in": many(1001)}}), "FILTER_TOO_LARGE", "a.in"),
        (conditions(257), "FILTER_TOO_LARGE", "OR[256].a"),
    ] {
        let error = Filter::parse(&filter.to_string()).unwrap_err();
        assert_eq!((error.code(), error.path()), (code, path), "{filter}");
    }
    for filter in [json!({"a": {"in": many(1000)}}), conditions(256)] {
        assert!(Filter::parse(&filter.to_string()).is_ok());
    }
}

#[test]
fn an_error_is_a_sentence_without_values() {
    let error = Filter::parse(r#"{"AND": [{"priority": {"gte": "secret"}}]}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the filter at AND[0].priority.gte: expected a number, or a date in ISO form, received a string that is no date"
    );
}

#[test]
fn a_scope_is_brought_into_one_form() {
    for (scope, written) in [
        (json!({"user_id": " alice\n"}), r#"{"user_id":"alice"}"#),
        (json!({"user_id": "Alice"}), r#"{"user_id":"Alice"}"#),
        (json!({"user_id": 42, "agent_id": null}), r#"{"user_id":"42"}"#),
        (json!({"agent_id": -7.0}), r#"{"agent_id":"-7"}"#),
        (json!({"run_id": 9_007_199_254_740_991_u64}), r#"{"run_id":"9007199254740991"}"#),
        // The accent apart from its letter.
        (json!({"user_id": "zoe\u{308}"}), "{\"user_id\":\"zo\u{eb}\"}"),
        (json!({"user_id": "x\" || user_id != \"y".replace(' ', "")}), r#"{"user_id":"x\"||user_id!=\"y"}"#),
    ] {
        assert_eq!(Scope::parse(&scope.to_string()).unwrap().to_json(), written);
    }
    let all = json!({"agent_id": "s", "user_id": "a".repeat(256), "run_id": "7"});
    let written: Value = serde_json::from_str(&Scope::parse(&all.to_string()).unwrap().to_json()).unwrap();
    assert_eq!(written, all);
}

#[test]
fn every_bad_scope_has_a_code_and_a_place() {
    for (scope, code, path) in [
        (json!({}), "SCOPE_REQUIRED", ""),
        (json!({"user_id": null}), "SCOPE_REQUIRED", ""),
        (json!({"user_id": true}), "SCOPE_ID_TYPE", "user_id"),
        (json!({"user_id": ["a"]}), "SCOPE_ID_TYPE", "user_id"),
        (json!({"user_id": {"eq": "a"}}), "SCOPE_ID_TYPE", "user_id"),
        (json!({"user_id": 1.5}), "SCOPE_ID_TYPE", "user_id"),
        (json!({"user_id": 9_007_199_254_740_992_u64}), "SCOPE_ID_TYPE", "user_id"),
        (json!({"user_id": "a", "run_id": " \t"}), "SCOPE_ID_EMPTY", "run_id"),
        (json!({"user_id": "a b"}), "SCOPE_ID_WHITESPACE", "user_id"),
        (json!({"user_id": "a\u{0}b"}), "SCOPE_ID_WHITESPACE", "user_id"),
        (json!({"user_id": "*"}), "SCOPE_ID_WILDCARD", "user_id"),
        (json!({"user_id": "al*"}), "SCOPE_ID_WILDCARD", "user_id"),
        (json!({"agent_id": "a".repeat(257)}), "SCOPE_ID_LONG", "agent_id"),
        (json!("alice"), "FILTER_SHAPE", ""),
    ] {
        for error in
            [Scope::parse(&scope.to_string()).unwrap_err(), Scope::lift(&scope.to_string()).unwrap_err()]
        {
            assert_eq!((error.code(), error.path()), (code, path), "{scope}");
        }
    }
    for scope in [r#"{"user_id": "a", "user_id": "b"}"#, r#"{"user_id": "a", "tenant": "b"}"#] {
        assert_eq!(Scope::parse(scope).unwrap_err().code(), "FILTER_SHAPE", "{scope}");
    }
}

#[test]
fn a_scope_is_lifted_from_the_top_level_only() {
    let (scope, rest) = Scope::lift(r#"{"user_id": "a", "OR": [{"user_id": "b"}, {"n": 1}]}"#).unwrap();
    assert_eq!(scope.to_json(), r#"{"user_id":"a"}"#);
    assert!(rest.matches(&json!({"user_id": "b"})));
    let within = scope.filter().and(rest);
    for (payload, matches) in [
        (json!({"user_id": "a", "n": 1}), true),
        (json!({"user_id": "a"}), false),
        (json!({"user_id": "b", "n": 1}), false),
    ] {
        assert_eq!(within.matches(&payload), matches, "{payload}");
    }
}

#[test]
fn a_table_counts_pushes_and_grows() {
    let mut table = PayloadTable::new();
    assert!(table.is_empty());
    let empty = table.bytes();
    for slot in 0..100 {
        assert_eq!(table.push(&json!({"title": format!("title number {slot}"), "group": slot % 3})), slot);
    }
    assert_eq!(table.len(), 100);
    assert!(table.bytes() > empty + 100 * "title number 1".len());
    table.clear(7);
    table.clear(4000);
    table.replace(4000, &json!({"group": 0}));
    assert_eq!((table.len(), table.select(&Filter::everything()).len()), (100, 99));
}
