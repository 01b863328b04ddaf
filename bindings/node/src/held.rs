//! What a native object holds until it is closed.
//!
//! The one idea: closing must never wait for a job that still looks at the state. A flag refuses every later call at
//! once, and a thread of its own frees the state when the last job has let go of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, TryLockError};

use crate::failure::Failure;

/// A state that many jobs may look at, one may change, and one call ends.
pub struct Held<T> {
    closed: AtomicBool,
    state: RwLock<Option<T>>,
}

impl<T> Held<T> {
    /// Holds a state.
    pub fn new(state: T) -> Arc<Self> {
        Arc::new(Self { closed: AtomicBool::new(false), state: RwLock::new(Some(state)) })
    }

    /// Looks at the state; `CLOSED` once it was closed or taken.
    pub fn look<R>(&self, look: impl FnOnce(&T) -> Result<R, Failure>) -> Result<R, Failure> {
        self.open()?;
        let guard = self.state.read().unwrap_or_else(PoisonError::into_inner);
        look(guard.as_ref().ok_or_else(closed)?)
    }

    /// Looks at the state if nobody changes it; nothing if somebody does. Never waits.
    pub fn look_at_once<R>(&self, look: impl FnOnce(&T) -> Result<R, Failure>) -> Result<Option<R>, Failure> {
        self.open()?;
        let guard = match self.state.try_read() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        look(guard.as_ref().ok_or_else(closed)?).map(Some)
    }

    /// Changes the state; `CLOSED` once it was closed or taken.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> Result<R, Failure>) -> Result<R, Failure> {
        self.open()?;
        let mut guard = self.state.write().unwrap_or_else(PoisonError::into_inner);
        change(guard.as_mut().ok_or_else(closed)?)
    }

    /// Takes the state out, for good.
    pub fn take(&self) -> Result<T, Failure> {
        self.open()?;
        self.state.write().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(closed)
    }

    /// Refuses every later call, waits for the jobs that still look, and frees the state. Never on the main thread.
    pub fn close_and_wait(&self) {
        self.closed.store(true, Ordering::Release);
        drop(self.state.write().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn open(&self) -> Result<(), Failure> {
        if self.closed.load(Ordering::Acquire) { Err(closed()) } else { Ok(()) }
    }
}

impl<T: Send + Sync + 'static> Held<T> {
    /// Refuses every later call and gives the memory back, without waiting for either.
    pub fn close(self: &Arc<Self>) {
        if self.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        let held = Arc::clone(self);
        // Where no thread can be had, the state goes with the object that holds it.
        let _ = std::thread::Builder::new()
            .name("sluice-close".to_owned())
            .spawn(move || drop(held.state.write().unwrap_or_else(PoisonError::into_inner).take()));
    }
}

fn closed() -> Failure {
    Failure::new("CLOSED", "The native object was closed.")
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::time::{Duration, Instant};

    use super::*;

    /// Tells when it is freed.
    struct Freed(Arc<AtomicBool>);

    impl Drop for Freed {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }

    #[test]
    fn closing_does_not_wait_for_a_job_and_frees_the_state_after_it() {
        let freed = Arc::new(AtomicBool::new(false));
        let held = Held::new(Freed(Arc::clone(&freed)));
        let (looking, leave) = (Barrier::new(2), Barrier::new(2));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                held.look(|_| {
                    looking.wait();
                    leave.wait();
                    Ok(())
                })
            });
            looking.wait();
            held.close();
            held.close();
            assert_eq!(held.look(|_| Ok(())).unwrap_err().code, "CLOSED");
            assert_eq!(held.change(|_| Ok(())).unwrap_err().code, "CLOSED");
            assert!(!freed.load(Ordering::Acquire));
            leave.wait();
        });
        let begun = Instant::now();
        while !freed.load(Ordering::Acquire) {
            assert!(begun.elapsed() < Duration::from_secs(10), "the state was never freed");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_state_is_taken_once() {
        let held = Held::new(7);
        assert_eq!(held.take().unwrap(), 7);
        assert_eq!(held.take().unwrap_err().code, "CLOSED");
    }
}
