//! How fast `flat` answers, on one thread: all rows, a filter that leaves one in a hundred, many queries and one.
//!
//! `cargo run --release -p sluice-index --example flat_speed -- 50000 256`

use std::time::Instant;

use serde_json::json;
use sluice_filter::Filter;
use sluice_index::{BackendArgs, Index, Want};
use sluice_vector::{Dimension, Metric};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<usize>());
    let rows = numbers.next().transpose()?.unwrap_or(50_000);
    let width = numbers.next().transpose()?.unwrap_or(256);
    let mut state = 1_u64;
    let mut number = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    };
    let flat: Vec<f32> = (0..rows * width).map(|_| number()).collect();
    let queries: Vec<f32> = (0..600 * width).map(|_| number()).collect();
    let payloads: Vec<_> = (0..rows).map(|row| json!({ "part": row % 100 })).collect();
    let filter = Filter::parse(r#"{"part": 7}"#)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for metric in Metric::ALL {
        let mut index = Index::new("flat", &BackendArgs::default(), metric, Dimension::new(width)?)?;
        let begun = Instant::now();
        index.add(&flat, &payloads, &|| false)?;
        println!("{metric}: {rows} rows of {width} added in {:.2?}", begun.elapsed());
        let everything = Filter::everything();
        for (name, filter, batch) in [
            ("all, batch", &everything, true),
            ("all, single", &everything, false),
            ("1 %, batch", &filter, true),
            ("1 %, single", &filter, false),
        ] {
            let count = if batch || name.starts_with('1') { 600 } else { 60 };
            let asked = &queries[..count * width];
            let ask = |queries: &[f32]| index.search(queries, Want::TopK(10), filter, &|| false);
            let begun = Instant::now();
            pool.install(|| {
                asked
                    .chunks(if batch { asked.len() } else { width })
                    .try_for_each(|query| ask(query).map(drop))
            })?;
            println!("{metric}: {name}: {:.0} queries/s", count as f64 / begun.elapsed().as_secs_f64());
        }
    }
    Ok(())
}
