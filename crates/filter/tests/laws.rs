//! Laws that hold for any filter and any payloads.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use sluice_filter::{Fault, Filter, PayloadTable, Scope};

/// Few fields and values, so that filters meet payloads.
fn field() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "b", "o", "o.a", "o.b", "o.a.c"])
}

fn number() -> impl Strategy<Value = Value> {
    select(vec![
        json!(-0.0),
        json!(0),
        json!(1),
        json!(1.0),
        json!(1.5),
        json!(7),
        json!(1e300),
        json!(u64::MAX),
    ])
}

fn text() -> impl Strategy<Value = Value> {
    let texts = [
        "",
        "7",
        "*",
        "ab",
        "AB",
        "xabx",
        "ΟΔΟΣ",
        "οδοσα",
        "Straße",
        "2025-01-01",
        "2025-01-01T00:00:00+01:00",
        "2024-12-31T23:00:00Z",
        "2025-13-01",
    ];
    select(texts.map(Value::from).to_vec())
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![number(), text(), any::<bool>().prop_map(Value::from)]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![4 => scalar(), 1 => Just(Value::Null)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((select(vec!["a", "b", "c", "no name"]), inner), 0..3).prop_map(object),
        ]
    })
}

fn object(entries: Vec<(&str, Value)>) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn payload() -> impl Strategy<Value = Value> {
    prop_oneof![
        9 => vec((select(vec!["a", "b", "o", "no name", ""]), value()), 0..5).prop_map(object),
        1 => value(),
    ]
}

/// A date, or a text that is none.
fn bounds() -> impl Strategy<Value = Value> {
    let dates = ["2025-01-01", "2024-12-31T23:00:00Z", "2024-12-31T23:00:01Z"].map(Value::from).to_vec();
    let side = select(vec!["gt", "gte", "lt", "lte"]);
    let numbers = vec((side.clone(), number()), 1..4);
    prop_oneof![numbers, vec((side, select(dates)), 1..4)].prop_map(object)
}

fn condition() -> impl Strategy<Value = Value> {
    let needle = select(vec!["a", "B", "ab", "Σ", "σ", "ß", "S"]).prop_map(Value::from);
    prop_oneof![
        scalar(),
        vec(scalar(), 0..4).prop_map(Value::from),
        Just(json!("*")),
        bounds(),
        (select(vec!["eq", "ne"]), scalar()).prop_map(|(name, operand)| json!({name: operand})),
        (select(vec!["in", "nin"]), vec(scalar(), 0..4)).prop_map(|(name, operand)| json!({name: operand})),
        (select(vec!["contains", "icontains"]), needle).prop_map(|(name, operand)| json!({name: operand})),
        (bounds(), scalar()).prop_map(|(mut bounds, operand)| {
            bounds["ne"] = operand;
            bounds
        }),
    ]
}

/// A filter with at least one condition.
fn filter() -> impl Strategy<Value = Value> {
    let leaf = vec((field(), condition()), 1..3).prop_map(object);
    leaf.prop_recursive(3, 24, 3, |inner| {
        (select(vec!["AND", "OR", "NOT"]), vec(inner, 1..4), proptest::option::of((field(), condition())))
            .prop_map(|(name, list, more)| {
                object([(name, Value::from(list))].into_iter().chain(more).collect())
            })
    })
}

fn parsed(filter: &Value) -> Filter {
    Filter::parse(&filter.to_string()).unwrap()
}

/// Reads the normal form back into the language: what a translator understands.
fn from_normal_form(tree: &Value) -> Value {
    let list = |parts: &Value| parts.as_array().unwrap().iter().map(from_normal_form).collect::<Vec<_>>();
    let all: &[Value] = &[];
    match tree {
        // Neither can be written in the language but by a detour.
        everything if everything["all"].as_array().is_some_and(Vec::is_empty) => json!({"x": {"nin": []}}),
        nothing if nothing["any"].as_array().is_some_and(Vec::is_empty) => json!({"x": {"in": all}}),
        tree if tree["all"].is_array() => json!({"AND": list(&tree["all"])}),
        tree if tree["any"].is_array() => json!({"OR": list(&tree["any"])}),
        tree if tree["none"].is_array() => json!({"NOT": list(&tree["none"])}),
        leaf => {
            let mut test: Map<String, Value> = leaf.as_object().unwrap().clone();
            let field = test.remove("field").unwrap();
            let (name, operand) = test.into_iter().next().unwrap();
            let condition = match name.as_str() {
                "exists" => json!("*"),
                "range" | "instants" => operand,
                _ => json!({name: operand}),
            };
            json!({field.as_str().unwrap(): condition})
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn the_table_selects_what_matches(payloads in vec(payload(), 0..40), filter in filter()) {
        let filter = parsed(&filter);
        let mut table = PayloadTable::new();
        for payload in &payloads {
            table.push(payload);
        }
        let matching: Vec<u32> = (0..table.len()).filter(|&slot| filter.matches(&payloads[slot as usize])).collect();
        prop_assert_eq!(table.select(&filter).iter().collect::<Vec<_>>(), matching);
    }

    #[test]
    fn clearing_and_replacing_leave_no_trace(
        payloads in vec(payload(), 1..12),
        changes in vec((0_u32..14, proptest::option::of(payload())), 0..20),
        filter in filter(),
    ) {
        let mut now: Vec<Option<Value>> = payloads.iter().cloned().map(Some).collect();
        let mut table = PayloadTable::new();
        for payload in &payloads {
            table.push(payload);
        }
        for (slot, change) in changes {
            match &change {
                Some(payload) => table.replace(slot, payload),
                None => table.clear(slot),
            }
            if let Some(payload) = now.get_mut(slot as usize) {
                *payload = change;
            }
        }
        for filter in [parsed(&filter), Filter::everything()] {
            let matches = |slot: &u32| now[*slot as usize].as_ref().is_some_and(|payload| filter.matches(payload));
            let matching: Vec<u32> = (0..table.len()).filter(matches).collect();
            prop_assert_eq!(table.select(&filter).iter().collect::<Vec<_>>(), matching);
        }
    }

    #[test]
    fn the_normal_form_means_the_same(payload in payload(), filter in filter()) {
        let filter = parsed(&filter);
        let normal: Value = serde_json::from_str(&filter.normal_form()).unwrap();
        let again = parsed(&from_normal_form(&normal));
        prop_assert_eq!(again.matches(&payload), filter.matches(&payload));
        // It is a fixed point: nothing is left to simplify.
        prop_assert_eq!(again.normal_form(), filter.normal_form());
        prop_assert_eq!(again.is_everything(), filter.is_everything());
    }

    #[test]
    fn lists_combine_as_they_say(payload in payload(), list in vec(filter(), 1..4)) {
        let each: Vec<bool> = list.iter().map(|part| parsed(part).matches(&payload)).collect();
        for (name, expected) in [
            ("AND", each.iter().all(|&matches| matches)),
            ("OR", each.iter().any(|&matches| matches)),
            ("NOT", !each.iter().any(|&matches| matches)),
        ] {
            prop_assert_eq!(parsed(&json!({name: list.clone()})).matches(&payload), expected, "{}", name);
        }
        let both = list.iter().map(parsed).fold(Filter::everything(), Filter::and);
        prop_assert_eq!(both.matches(&payload), each.iter().all(|&matches| matches));
    }

    #[test]
    fn opposites_exclude_each_other(payload in payload(), field in field(), operand in scalar(), list in vec(scalar(), 0..4)) {
        let matches = |condition: Value| parsed(&json!({field: condition})).matches(&payload);
        prop_assert_ne!(matches(json!({"eq": operand.clone()})), matches(json!({"ne": operand})));
        prop_assert_ne!(matches(json!({"in": list.clone()})), matches(json!({"nin": list})));
    }

    #[test]
    fn what_contains_a_text_contains_it_in_any_case(before in "\\PC{0,8}", needle in "\\PC{1,8}", after in "\\PC{0,8}") {
        let payload = json!({"a": before + &needle + &after});
        for operator in ["contains", "icontains"] {
            prop_assert!(parsed(&json!({"a": {operator: needle.clone()}})).matches(&payload), "{}", operator);
        }
    }

    #[test]
    fn any_json_is_read_or_refused(json in any_json()) {
        for refused in [Filter::parse(&json.to_string()).err(), Scope::lift(&json.to_string()).err()].into_iter().flatten() {
            prop_assert!(!refused.expected().is_empty() && !refused.received().is_empty());
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        let _: (Result<_, _>, Result<_, _>) = (Filter::parse(&text), Scope::parse(&text));
    }

    #[test]
    fn a_scope_is_what_it_writes(user in "\\PC{0,6}", agent in any::<i32>()) {
        if let Ok(scope) = Scope::parse(&json!({"user_id": user, "agent_id": agent}).to_string()) {
            prop_assert_eq!(Scope::parse(&scope.to_json()), Ok(scope.clone()));
            let (lifted, rest) = Scope::lift(&scope.to_json()).unwrap();
            prop_assert_eq!(&lifted, &scope);
            prop_assert!(rest.is_everything());
            let payload: Value = serde_json::from_str(&scope.to_json()).unwrap();
            prop_assert!(scope.filter().matches(&payload));
            let without_agent = json!({"user_id": payload["user_id"]});
            prop_assert!(!scope.filter().matches(&without_agent));
        }
    }
}

/// JSON out of the words of the language, in any place.
fn any_json() -> impl Strategy<Value = Value> {
    let words = [
        "AND", "OR", "NOT", "eq", "ne", "in", "nin", "gt", "lte", "contains", "*", "$eq", "user_id", "a.b",
        "a b", "",
    ];
    let leaf = prop_oneof![scalar(), Just(Value::Null), select(words.map(Value::from).to_vec())];
    leaf.prop_recursive(40, 80, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((select(words.to_vec()), inner), 0..4).prop_map(object),
        ]
    })
}

#[test]
fn nesting_is_bounded() {
    let nested =
        |depth: usize| format!("{}{}{}", r#"{"NOT": ["#.repeat(depth), r#"{"a": 1}"#, "]}".repeat(depth));
    for (depth, fault) in [
        (1, None),
        (8, None),
        (9, Some(Fault::TooDeep)),
        (60, Some(Fault::TooDeep)),
        (50_000, Some(Fault::TooDeep)),
    ] {
        assert_eq!(Filter::parse(&nested(depth)).err().map(|error| error.fault()), fault, "{depth}");
    }
}
