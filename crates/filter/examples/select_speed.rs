//! How long it takes to select among 200,000 payloads. Run with `cargo run --release -p sluice-filter --example select_speed`.

use std::hint::black_box;
use std::time::Instant;

use serde_json::{Value, json};
use sluice_filter::{Filter, PayloadTable};

const PAYLOADS: u64 = 200_000;
const KINDS: [&str; 4] = ["note", "mail", "page", "chat"];
const ROUNDS: u32 = 50;

/// Fields of every kind: few values, many values, dates, texts of their own.
fn payload(position: u64) -> Value {
    // A fixed permutation: neighbours in value are no neighbours in position.
    let mixed = position * 7_919 % PAYLOADS;
    json!({
        "tenant": format!("tenant-{}", mixed % 100),
        "kind": KINDS[(mixed % 4) as usize],
        "price": mixed as f64 / 4.0,
        "created_at": format!("2025-{:02}-{:02}T{:02}:{:02}:00Z", mixed % 12 + 1, mixed % 28 + 1, mixed % 24, mixed % 60),
        "title": format!("The title of passage number {mixed}, which nobody else has"),
        "tags": [format!("t{}", mixed % 1_000), format!("u{}", mixed % 17)],
    })
}

fn main() {
    let payloads: Vec<Value> = (0..PAYLOADS).map(payload).collect();
    let started = Instant::now();
    let mut table = PayloadTable::new();
    for payload in &payloads {
        table.push(payload);
    }
    let seconds = started.elapsed().as_secs_f64();
    let rate = PAYLOADS as f64 / seconds;
    println!("push {rate:.0} payloads/s, {} bytes a payload", table.bytes() as u64 / PAYLOADS);
    for filter in [
        json!({"tenant": "tenant-7"}),
        json!({"title": "The title of passage number 4711, which nobody else has"}),
        json!({"tags": {"in": ["t1", "t2", "t3", "t4", "t5"]}}),
        json!({"kind": {"ne": "mail"}}),
        json!({"tenant": "tenant-7", "kind": "note", "price": {"gte": 100}}),
        json!({"price": {"gte": 100, "lt": 350}}),
        json!({"price": {"gte": 25_000}}),
        json!({"created_at": {"gte": "2025-03-01", "lt": "2025-04-01"}}),
        json!({"title": {"contains": "number 4711"}}),
        json!({"title": {"icontains": "NUMBER 4711"}}),
    ] {
        let parsed = Filter::parse(&filter.to_string()).expect("a filter");
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let started = Instant::now();
            black_box(table.select(black_box(&parsed)));
            best = best.min(started.elapsed().as_secs_f64());
        }
        println!("{:>9.1} us, {:>6} found: {filter}", best * 1e6, table.select(&parsed).len());
    }
}
