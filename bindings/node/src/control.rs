//! How JavaScript watches and stops a job: a flag to cancel, and counters to poll.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use indexmap::IndexMap;
use napi_derive::napi;

/// What a job and its watcher share.
#[derive(Default)]
pub struct Signals {
    cancelled: Arc<AtomicBool>,
    done: AtomicU64,
    total: AtomicU64,
    clock: Mutex<Clock>,
}

/// The step that runs, and the seconds of the steps that ran.
#[derive(Default)]
struct Clock {
    step: Option<(&'static str, Instant)>,
    seconds: IndexMap<&'static str, f64>,
}

impl Clock {
    fn stop(&mut self) {
        if let Some((step, since)) = self.step.take() {
            *self.seconds.entry(step).or_default() += since.elapsed().as_secs_f64();
        }
    }
}

impl Signals {
    /// Whether the job should stop.
    pub fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The flag itself, for a reader that polls it.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// Wall seconds of every step so far, in the order in which they first ran.
    pub fn seconds(&self) -> IndexMap<String, f64> {
        let clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.seconds.iter().map(|(step, seconds)| ((*step).to_owned(), *seconds)).collect()
    }

    /// Says how far the job is; a new step starts its clock.
    pub fn report(&self, step: &'static str, done: u64, total: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        if clock.step.is_none_or(|(running, _)| running != step) {
            clock.stop();
            clock.step = Some((step, Instant::now()));
        }
    }

    /// Stops the clock of the running step.
    pub fn finish(&self) {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).stop();
    }
}

/// How far a job is.
#[napi(object)]
pub struct NativeProgress {
    /// Name of the step; empty before the first.
    pub step: String,
    /// Done in this step.
    pub done: f64,
    /// To do in this step; 0 when not known.
    pub total: f64,
}

/// The handle by which JavaScript cancels a job and asks how far it is.
#[napi]
#[derive(Default)]
pub struct NativeControl {
    signals: Arc<Signals>,
}

#[napi]
impl NativeControl {
    /// A control for one job, or for several that follow one another.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the job to stop; it does within milliseconds.
    #[napi(catch_unwind)]
    pub fn cancel(&self) {
        self.signals.cancelled.store(true, Ordering::Relaxed);
    }

    /// How far the job is.
    #[napi(catch_unwind)]
    pub fn progress(&self) -> NativeProgress {
        let clock = self.signals.clock.lock().unwrap_or_else(PoisonError::into_inner);
        NativeProgress {
            step: clock.step.map_or_else(String::new, |(step, _)| step.to_owned()),
            done: self.signals.done.load(Ordering::Relaxed) as f64,
            total: self.signals.total.load(Ordering::Relaxed) as f64,
        }
    }

    /// Wall seconds of every step so far.
    #[napi(catch_unwind)]
    pub fn seconds(&self) -> IndexMap<String, f64> {
        self.signals.seconds()
    }
}

impl NativeControl {
    /// The shared side, for a job.
    pub fn signals(&self) -> Arc<Signals> {
        Arc::clone(&self.signals)
    }
}
