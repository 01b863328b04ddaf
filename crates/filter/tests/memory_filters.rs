//! The filter language by example: `data/memory-filters.jsonl` holds payloads, and filters with the payloads that they match or
//! the code that they are refused with.

use serde_json::Value;
use sluice_filter::{PayloadTable, Scope};

fn lines() -> Vec<Value> {
    include_str!("data/memory-filters.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

#[test]
fn filters_match_what_they_are_meant_to() {
    let lines = lines();
    let of_kind = |kind: &'static str| lines.iter().filter(move |line| line["kind"] == kind);
    let payloads: Vec<(u64, &Value)> =
        of_kind("record").map(|line| (line["id"].as_u64().unwrap(), &line["payload"])).collect();
    let mut table = PayloadTable::new();
    for (_, payload) in &payloads {
        table.push(payload);
    }
    let mut cases = 0;
    for case in of_kind("case") {
        let lifted = Scope::lift(&case["filter"].to_string());
        let title = format!("{} {}", case["id"], case["name"]);
        cases += 1;
        if let Some(code) = case["error"].as_str() {
            assert_eq!(lifted.unwrap_err().code(), code, "{title}");
            continue;
        }
        let (scope, filter) = lifted.expect(&title);
        let filter = scope.filter().and(filter);
        let matching: Vec<u64> =
            payloads.iter().filter(|(_, payload)| filter.matches(payload)).map(|(id, _)| *id).collect();
        let expected: Vec<u64> =
            case["expect"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
        assert_eq!(matching, expected, "{title}");
        let selected: Vec<u64> = table.select(&filter).iter().map(|slot| payloads[slot as usize].0).collect();
        assert_eq!(selected, expected, "{title}, by the table");
    }
    assert_eq!((payloads.len(), cases), (20, 54));
}
