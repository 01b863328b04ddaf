//! Threads for jobs of one thread.
//!
//! The one idea: a query takes less time than the birth of a thread and its pool, so that a thread that has done its job
//! waits for the next one. What a job does with rayon stays on its thread.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// What a worker is given. It must not panic.
pub type Job = Box<dyn FnOnce() + Send>;

/// The most workers that wait; those of a burst beyond it end with their job. A worker that waits holds a stack.
const WAITING_MAX: usize = 4;

static WAITING: Mutex<Vec<Worker>> = Mutex::new(Vec::new());

/// A thread that waits for a job.
pub struct Worker {
    jobs: Sender<Job>,
}

impl Worker {
    /// One that waits, or a new one.
    ///
    /// # Errors
    /// If the system gives no more threads.
    pub fn take() -> io::Result<Self> {
        if let Some(worker) = WAITING.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(worker);
        }
        let (jobs, received) = mpsc::channel();
        let worker = Self { jobs: jobs.clone() };
        thread::Builder::new().name("sluice-job".to_owned()).spawn(move || work(&jobs, &received))?;
        Ok(worker)
    }

    /// Has the worker do a job.
    pub fn run(self, job: Job) {
        // It waits for this for ever, and so cannot be gone.
        _ = self.jobs.send(job);
    }
}

thread_local! {
    /// The calling thread as a pool. Without one, work runs on the pool of the process.
    static HERE: Option<ThreadPool> = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok();
}

/// Works on the calling thread, whatever the work asks of rayon.
pub fn here<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    HERE.with(|pool| match pool {
        Some(pool) => pool.install(work),
        None => work(),
    })
}

/// The life of a worker.
fn work(jobs: &Sender<Job>, received: &Receiver<Job>) {
    while let Ok(job) = received.recv() {
        here(job);
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() == WAITING_MAX {
            return;
        }
        waiting.push(Worker { jobs: jobs.clone() });
    }
}
