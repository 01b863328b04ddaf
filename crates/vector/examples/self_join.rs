//! How many pairs a second does the join compare, on one thread, with each instruction set of this CPU?
//!
//! `cargo run --release -p sluice-vector --example self_join -- [rows] [dimension]`. Unit rows around 200
//! seeded centres; the threshold is 0.9. The example checks that every set finds the same pairs.

use std::time::Instant;

use sluice_vector::{CosineJoin, Dimension, Hit, Instructions, Matrix, VectorError};

const CENTRES: usize = 200;
const THRESHOLD: f64 = 0.9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |default: usize| arguments.next().map_or(Ok(default), |argument| argument.parse());
    let (rows, dimension) = (next(20_000)?, Dimension::new(next(256)?)?);
    let matrix = clustered(rows, dimension)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;

    println!("{:>12} {:>9} {:>9} {:>9} {:>10}", "set", "append s", "search s", "Mpairs/s", "hits");
    let mut first: Option<Vec<Hit>> = None;
    for instructions in Instructions::available() {
        let start = Instant::now();
        let mut join = CosineJoin::new(dimension, instructions);
        matrix.rows().try_for_each(|row| join.append(row))?;
        let append = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let mut hits = Vec::new();
        pool.install(|| join.search(matrix.as_flat(), THRESHOLD, &|| false, &mut hits))?;
        let search = start.elapsed().as_secs_f64();

        let rate = (rows * rows) as f64 / search / 1e6;
        println!("{:>12} {append:>9.3} {search:>9.3} {rate:>9.0} {:>10}", instructions.name(), hits.len());
        assert_eq!(first.get_or_insert_with(|| hits.clone()), &hits, "every set finds the same pairs");
    }
    Ok(())
}

/// Unit rows around centres, at mixed distances; the same for the same arguments.
fn clustered(rows: usize, dimension: Dimension) -> Result<Matrix, VectorError> {
    let mut noise = Noise(1);
    let mut row_of = |_| (0..dimension.get()).map(|_| noise.next()).collect::<Vec<f32>>();
    let centres: Vec<_> = (0..CENTRES).map(&mut row_of).collect();
    let mut matrix = Matrix::new(dimension);
    for position in 0..rows {
        let distance = 0.25 + 0.15 * (position % 7) as f32;
        let centre = &centres[position % CENTRES];
        let row: Vec<_> =
            row_of(position).iter().zip(centre).map(|(noise, centre)| centre + noise * distance).collect();
        matrix.push(&row)?;
    }
    matrix.normalize()?;
    Ok(matrix)
}

/// Roughly gaussian numbers from a 64-bit shuffle (`SplitMix64`): the sum of four uniform ones.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        bits.to_le_bytes()
            .chunks_exact(2)
            .map(|pair| f32::from(pair[0]) / 256.0 + f32::from(pair[1]) / 65_536.0 - 0.5)
            .sum()
    }
}
