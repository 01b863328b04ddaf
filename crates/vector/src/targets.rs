//! The targets of a join: unit rows as they came, and their codes in the order in which a kernel reads them.
//!
//! Thirty-two targets make a *panel*; a panel is a run of steps, a step four components of each of its
//! targets.

use crate::Admitted;
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

impl Panel<'_> {
    /// The targets of this panel that may be found; without a set, all.
    pub(crate) fn admitted(&self, admitted: Option<&Admitted>) -> u32 {
        admitted.map_or(u32::MAX, |admitted| admitted.of_panel(self.first / TARGETS))
    }
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

    /// Some of these targets as a set of their own, in the order given. Each panel is given the largest residual of
    /// the panels its targets come from: a bound, where the residual of each target is not at hand.
    pub(crate) fn gather(&self, targets: impl Iterator<Item = u32>) -> Self {
        let mut gathered = Self::new(self.dimension);
        let mut code = Code::default();
        for target in targets {
            let (panel, place) = (target as usize / TARGETS, target as usize % TARGETS);
            let head = &self.heads[panel];
            (code.scale, code.sum, code.residual) = (head.scales[place], head.sums[place], head.residual);
            code.steps.clear();
            let steps = &self.steps[panel * self.panel_steps()..][..self.panel_steps()];
            code.steps.extend(steps.iter().map(|step| step.0[place]));
            gathered.append(self.row(target as usize), &code);
        }
        gathered
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) const fn dimension(&self) -> usize {
        self.dimension
    }

    pub(crate) fn rows(&self) -> &[f32] {
        &self.rows
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
