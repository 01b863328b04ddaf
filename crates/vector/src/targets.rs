//! The targets of a join: unit rows as they came, and their codes in the order in which a kernel reads them.
//!
//! Thirty-two targets make a *panel*; a panel is a run of steps, a step four components of each of its
//! targets.

use crate::code::Code;
use crate::kernels::{PanelHead, PanelStep, STEP, TARGETS};

/// Rows, codes, and what a kernel needs to know of each panel.
pub(crate) struct Targets {
    rows: Vec<f32>,
    steps: Vec<PanelStep>,
    heads: Vec<PanelHead>,
    dimension: usize,
    len: usize,
}

/// The targets `first..first + 32`, some of which may not exist.
#[derive(Clone, Copy)]
pub(crate) struct Panel<'a> {
    pub first: usize,
    pub steps: &'a [PanelStep],
    pub head: &'a PanelHead,
}

impl Targets {
    pub(crate) const fn new(dimension: usize) -> Self {
        Self { rows: Vec::new(), steps: Vec::new(), heads: Vec::new(), dimension, len: 0 }
    }

    /// Appends a unit row and its code.
    pub(crate) fn append(&mut self, row: &[f32], code: &Code) {
        let place = self.len % TARGETS;
        if place == 0 {
            let empty = PanelHead { scales: [f32::NAN; TARGETS], sums: [0; TARGETS], residual: 0.0 };
            self.heads.push(empty);
            let empty = PanelStep([[0; STEP]; TARGETS]);
            self.steps.resize(self.steps.len() + self.panel_steps(), empty);
        }
        let panel = self.len / TARGETS;
        let first = panel * self.panel_steps();
        for (step, &codes) in self.steps[first..].iter_mut().zip(&code.steps) {
            step.0[place] = codes;
        }
        let head = &mut self.heads[panel];
        head.scales[place] = code.scale;
        head.sums[place] = code.sum;
        head.residual = head.residual.max(code.residual);
        self.rows.extend_from_slice(row);
        self.len += 1;
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) const fn dimension(&self) -> usize {
        self.dimension
    }

    pub(crate) fn row(&self, target: usize) -> &[f32] {
        &self.rows[target * self.dimension..][..self.dimension]
    }

    /// The panels `panels`, as far as they exist.
    pub(crate) fn panels(&self, panels: std::ops::Range<usize>) -> impl Iterator<Item = Panel<'_>> {
        let end = panels.end.min(self.heads.len());
        (panels.start..end).map(|panel| Panel {
            first: panel * TARGETS,
            steps: &self.steps[panel * self.panel_steps()..][..self.panel_steps()],
            head: &self.heads[panel],
        })
    }

    pub(crate) const fn panel_count(&self) -> usize {
        self.heads.len()
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<f32>()
            + self.steps.capacity() * size_of::<PanelStep>()
            + self.heads.capacity() * size_of::<PanelHead>()
    }

    const fn panel_steps(&self) -> usize {
        self.dimension.div_ceil(STEP)
    }
}
