//! Deduplication straight from its definition: quadratic, without hashes, tables, indexes or threads.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use sluice_dedup::{
    Counts, DedupOptions, Empty, Keep, Near, NearIn, Outcome, Reason, Rules, Shingles, Unit, Veto, Witness,
};
use sluice_text::{NormalForm, words};

/// A record as it comes in.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub columns: Vec<Vec<u8>>,
    pub priority: Option<f64>,
}

impl Record {
    pub fn text(text: &str) -> Self {
        Self { columns: vec![text.as_bytes().to_vec()], priority: None }
    }
}

/// One class: a normal form, its records, and what the near stages see of it.
#[derive(Debug)]
pub struct Class {
    form: Vec<Vec<u8>>,
    records: Vec<usize>,
    text: String,
    shingles: BTreeSet<usize>,
    vector: Option<Vec<f32>>,
}

/// A set of records, grouped.
#[derive(Debug)]
pub struct Grouped {
    pub options: DedupOptions,
    pub records: Vec<Record>,
    pub classes: Vec<Class>,
}

fn blank(record: &Record) -> bool {
    let empty =
        |cell: &Vec<u8>| std::str::from_utf8(cell).is_ok_and(|text| NormalForm::Space.apply(text).is_empty());
    record.columns.iter().all(empty)
}

fn form(record: &Record, options: &DedupOptions) -> Vec<Vec<u8>> {
    if blank(record) {
        return vec![Vec::new(); record.columns.len()];
    }
    let normal = |cell: &Vec<u8>| match std::str::from_utf8(cell) {
        Ok(text) => options.normal_form.apply(text).into_owned().into_bytes(),
        Err(_) => cell.clone(),
    };
    record.columns.iter().map(normal).collect()
}

pub fn shingles(text: &str, shingles: Shingles) -> BTreeSet<String> {
    let text = text.to_lowercase();
    let size = shingles.size.get();
    let (units, joint): (Vec<String>, _) = match shingles.unit {
        Unit::Word => (words(&text).map(str::to_owned).collect(), " "),
        Unit::Character => (text.chars().map(String::from).collect(), ""),
    };
    if units.is_empty() {
        return BTreeSet::from([text]);
    }
    units.windows(size.min(units.len())).map(|window| window.join(joint)).collect()
}

/// Numbers in place of shingles, one a shingle: only to make comparing quick.
fn numbers(shingles: BTreeSet<String>) -> BTreeSet<usize> {
    static NAMES: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());
    let mut names = NAMES.lock().unwrap();
    let mut number = |shingle| {
        let next = names.len();
        *names.entry(shingle).or_insert(next)
    };
    shingles.into_iter().map(&mut number).collect()
}

impl Grouped {
    /// Groups records; `vector` is that of a class by number.
    pub fn new(
        records: &[Record],
        options: DedupOptions,
        vector: &dyn Fn(usize) -> Option<Vec<f32>>,
    ) -> Self {
        let mut classes: Vec<Class> = Vec::new();
        for (position, record) in records.iter().enumerate() {
            if blank(record) && options.empty != Empty::Collapse {
                continue;
            }
            let form = form(record, &options);
            if let Some(class) = classes.iter_mut().find(|class| class.form == form) {
                class.records.push(position);
                continue;
            }
            let text = form.iter().map(|cell| sluice_dedup::decoded(cell)).collect::<Vec<_>>().join("\n");
            let shingles = options.shingles.map_or(BTreeSet::new(), |kind| numbers(shingles(&text, kind)));
            let vector = vector(classes.len());
            classes.push(Class { form, records: vec![position], text, shingles, vector });
        }
        Self { options, records: records.to_vec(), classes }
    }

    fn class_of(&self, position: usize) -> Option<&Class> {
        self.classes.iter().find(|class| class.records.contains(&position))
    }

    fn better(&self, keep: Keep, a: usize, b: usize) -> Ordering {
        let length = |position: usize| -> usize {
            let bytes = self.records[position].columns.concat();
            bytes.iter().filter(|&&byte| byte & 0b1100_0000 != 0b1000_0000).count()
        };
        let priority = |position: usize| self.records[position].priority;
        let by_priority = |sign: f64| match (priority(a), priority(b)) {
            (Some(a), Some(b)) => (sign * a).partial_cmp(&(sign * b)).unwrap(),
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        let by_rule = match keep {
            Keep::First => Ordering::Equal,
            Keep::Longest => length(b).cmp(&length(a)),
            Keep::Highest => by_priority(-1.0),
            Keep::Lowest => by_priority(1.0),
        };
        by_rule.then(a.cmp(&b))
    }

    fn preferred(&self, class: &Class, keep: Keep) -> usize {
        *class.records.iter().min_by(|&&a, &&b| self.better(keep, a, b)).unwrap()
    }
}

fn jaccard(a: &Class, b: &Class) -> f64 {
    let shared = a.shingles.intersection(&b.shingles).count();
    shared as f64 / (a.shingles.len() + b.shingles.len() - shared) as f64
}

fn cosine(a: &Class, b: &Class) -> Option<f64> {
    let product = sluice_vector::dot(a.vector.as_ref()?, b.vector.as_ref()?);
    // Within the rounding of unit rows, a cosine is 1.
    Some(if product >= 1.0 - 1.0 / 4_194_304.0 { 1.0 } else { product })
}

fn best_first(a: &(Witness, f64), b: &(Witness, f64)) -> Ordering {
    b.1.partial_cmp(&a.1).unwrap().then(a.0.cmp(&b.0))
}

/// A dropped record: position, reason, score, witness, duplicates.
pub type Dropped = (u32, Reason, f64, Option<Witness>, Vec<(Witness, f64)>);

/// Everything of an outcome that is compared.
#[derive(Debug, PartialEq)]
pub struct Expected {
    pub selected: Vec<u32>,
    pub filtered: Vec<Dropped>,
    pub vetoes: Vec<Veto>,
    pub near: Vec<Near>,
    pub counts: Counts,
}

impl From<&Outcome> for Expected {
    fn from(outcome: &Outcome) -> Self {
        let filtered = &outcome.filtered;
        let row = |at: usize| {
            let duplicates = filtered.duplicates(at).collect();
            (
                filtered.positions[at],
                filtered.reasons[at],
                filtered.scores[at],
                filtered.witnesses[at],
                duplicates,
            )
        };
        Self {
            selected: outcome.selected.clone(),
            filtered: (0..filtered.len()).map(row).collect(),
            vetoes: outcome.vetoes.clone(),
            near: outcome.near.clone(),
            counts: outcome.counts.clone(),
        }
    }
}

enum Fate {
    Kept,
    Known(usize),
    Near(Reason, Vec<(Witness, f64)>),
}

/// The walk and the spelling out.
pub fn walk(batch: &Grouped, reference: Option<&Grouped>, rules: &Rules) -> Expected {
    let preferred: Vec<usize> =
        batch.classes.iter().map(|class| batch.preferred(class, rules.keep)).collect();
    let mut order: Vec<usize> = (0..batch.classes.len()).collect();
    order.sort_by(|&a, &b| batch.better(rules.keep, preferred[a], preferred[b]));
    let limit = rules.duplicates_max.get();
    let mut counts = Counts::default();
    let mut fates: BTreeMap<usize, Fate> = BTreeMap::new();
    let mut vetoes = Vec::new();
    let mut near = Vec::new();
    for &at in &order {
        let class = &batch.classes[at];
        let position = preferred[at] as u32;
        let same_form =
            |reference: &Grouped| reference.classes.iter().position(|other| other.form == class.form);
        if let Some(known) = reference.and_then(same_form) {
            fates.insert(at, Fate::Known(known));
            continue;
        }
        // Everything kept before this class.
        let mut others: Vec<(Witness, &Class)> = Vec::new();
        if let Some(reference) = reference {
            others.extend(
                reference.classes.iter().map(|other| (Witness::Reference(other.records[0] as u32), other)),
            );
        }
        if rules.near_in == NearIn::Everything {
            let kept = fates.iter().filter(|(_, fate)| matches!(fate, Fate::Kept));
            others.extend(
                kept.map(|(&kept, _)| (Witness::Batch(preferred[kept] as u32), &batch.classes[kept])),
            );
        }
        let mut judge = |reason, mut pairs: Vec<(Witness, f64, &Class)>| {
            pairs.sort_by(|a, b| best_first(&(a.0, a.1), &(b.0, b.1)));
            let (mut spared, mut duplicates) = (Vec::new(), Vec::new());
            for (witness, score, other) in pairs {
                match sluice_guard::veto(&class.text, &other.text, rules.guards) {
                    Some(guard) => spared.push(Veto { position, witness, reason, score, guard }),
                    None => duplicates.push((witness, score)),
                }
            }
            counts.vetoed += spared.len() as u64;
            counts.vetoes_cut += spared.len().saturating_sub(limit) as u64;
            counts.duplicates_cut += duplicates.len().saturating_sub(limit) as u64;
            spared.truncate(limit);
            vetoes.extend(spared);
            duplicates.truncate(limit);
            duplicates
        };
        if let Some(rule) = rules.lexical {
            let reached = |other: &&(Witness, &Class)| jaccard(class, other.1) >= rule.jaccard.get();
            let pairs =
                others.iter().filter(reached).map(|(w, other)| (*w, jaccard(class, other), *other)).collect();
            let duplicates = judge(Reason::Lexical, pairs);
            if !duplicates.is_empty() {
                fates.insert(at, Fate::Near(Reason::Lexical, duplicates));
                continue;
            }
        }
        if let Some(rule) = rules.semantic {
            let scored: Vec<_> =
                others.iter().filter_map(|(w, other)| Some((*w, cosine(class, other)?, *other))).collect();
            let (reached, below): (Vec<_>, Vec<_>) =
                scored.into_iter().partition(|pair| pair.1 >= rule.cosine.get());
            let duplicates = judge(Reason::Semantic, reached);
            counts.without_vector += u64::from(class.vector.is_none());
            if !duplicates.is_empty() {
                fates.insert(at, Fate::Near(Reason::Semantic, duplicates));
                continue;
            }
            let audited = below.iter().filter(|pair| pair.1 >= rule.floor.get()).map(|pair| (pair.0, pair.1));
            if let Some((witness, score)) = audited.min_by(best_first) {
                near.push(Near { position, witness, score });
            }
        }
        fates.insert(at, Fate::Kept);
    }
    vetoes.sort_by_key(|veto| veto.position);
    near.sort_by_key(|near| near.position);
    spell(
        batch,
        reference,
        rules,
        &fates,
        Expected { selected: vec![], filtered: vec![], vetoes, near, counts },
    )
}

fn spell(
    batch: &Grouped,
    reference: Option<&Grouped>,
    rules: &Rules,
    fates: &BTreeMap<usize, Fate>,
    mut out: Expected,
) -> Expected {
    for (position, record) in batch.records.iter().enumerate() {
        let here = position as u32;
        let Some(class) = batch.class_of(position) else {
            if batch.options.empty == Empty::Drop {
                out.filtered.push((here, Reason::Empty, 0.0, None, vec![]));
            } else {
                out.selected.push(here);
            }
            continue;
        };
        let at = batch.classes.iter().position(|other| std::ptr::eq(other, class)).unwrap();
        let preferred = batch.preferred(class, rules.keep);
        let text_of = |position: usize| &batch.records[position].columns;
        let earlier =
            class.records.iter().any(|&other| other < position && text_of(other) == &record.columns);
        let copy =
            if earlier || text_of(preferred) == &record.columns { Reason::Exact } else { Reason::Normalized };
        let stands = position == preferred;
        let (reason, list) = match &fates[&at] {
            Fate::Kept if stands => {
                out.selected.push(here);
                continue;
            }
            Fate::Kept => (copy, vec![(Witness::Batch(preferred as u32), 1.0)]),
            Fate::Known(known) => {
                let items = reference.unwrap();
                let exact = items.records.iter().position(|item| item.columns == record.columns);
                let witness = exact.unwrap_or(items.classes[*known].records[0]);
                let reason = match exact {
                    Some(_) => Reason::Exact,
                    None if stands => Reason::Normalized,
                    None => copy,
                };
                (reason, vec![(Witness::Reference(witness as u32), 1.0)])
            }
            Fate::Near(reason, list) => (if stands { *reason } else { copy }, list.clone()),
        };
        out.filtered.push((here, reason, list[0].1, Some(list[0].0), list));
    }
    let of = |reason| out.filtered.iter().filter(|row| row.1 == reason).count() as u64;
    let mut groups: BTreeMap<Witness, u64> = BTreeMap::new();
    for witness in out.filtered.iter().filter_map(|row| row.3) {
        *groups.entry(witness).or_default() += 1;
    }
    let mut largest_groups: Vec<(Witness, u64)> =
        groups.iter().map(|(&witness, &size)| (witness, size)).collect();
    largest_groups.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    largest_groups.truncate(10);
    out.counts = Counts {
        records: batch.records.len() as u64,
        exact: of(Reason::Exact),
        normalized: of(Reason::Normalized),
        lexical: of(Reason::Lexical),
        semantic: of(Reason::Semantic),
        empty: of(Reason::Empty),
        selected: out.selected.len() as u64,
        filtered: out.filtered.len() as u64,
        classes: batch.classes.len() as u64,
        groups: groups.len() as u64,
        largest_groups,
        ..out.counts
    };
    out
}

/// The exact score, for tests that recompute one.
pub fn jaccard_of(a: &str, b: &str, kind: Shingles) -> f64 {
    let (a, b) = (shingles(a, kind), shingles(b, kind));
    let shared = a.intersection(&b).count();
    shared as f64 / (a.len() + b.len() - shared) as f64
}
