//! Runs work away from the main thread and settles a promise with what comes out.
//!
//! A job gets a thread and a rayon pool for itself, so that it never takes one of libuv's four threads, which serve
//! files and DNS. A panic becomes an `INTERNAL` failure; it never unwinds into Node, which would abort the process.

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::ToNapiValue;
use napi::{Env, bindgen_prelude::Object};

use crate::failure::Failure;
use crate::workers::Worker;

/// Runs `work` on `threads` threads and gives the promise of `convert(result)`; `convert` runs on the main thread.
pub fn spawn<T, V>(
    env: &Env,
    threads: u32,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    convert: impl FnOnce(T) -> V + Send + 'static,
) -> napi::Result<Object<'static>>
where
    T: Send + 'static,
    V: ToNapiValue + 'static,
{
    // The thread comes first: where there is none, no promise is left that nobody settles.
    let worker = Worker::take().map_err(threads_refused)?;
    let (deferred, promise) = env.create_deferred()?;
    // The promise is handed to JavaScript at once; napi ties its lifetime to `env`, which outlives this call.
    let promise = Object::from_raw(env.raw(), napi::JsValue::raw(&promise));
    worker.run(Box::new(move || match contained(|| in_pool(threads, work)) {
        Ok(result) => deferred.resolve(move |_| Ok(convert(result))),
        Err(failure) => deferred.reject(failure.into()),
    }));
    Ok(promise)
}

/// Runs `work` now, in a pool of `threads` threads; a panic becomes a failure.
pub fn now<T: Send>(threads: u32, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    contained(|| in_pool(threads, work))
}

fn in_pool<T: Send>(threads: u32, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    // A worker is a pool of one thread already.
    if threads == 1 && rayon::current_thread_index().is_some() && rayon::current_num_threads() == 1 {
        return work();
    }
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build().map_err(threads_refused)?;
    pool.install(work)
}

/// The system gives no more threads. A matter of the machine, like a full disk: trying again may help.
fn threads_refused(error: impl std::error::Error) -> Failure {
    Failure {
        field: Some("threads".to_owned()),
        ..Failure::new("IO", format!("The system refused to start threads ({error}); try with fewer."))
    }
}

fn contained<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(Failure::new("INTERNAL", format!("A defect in the native core: {said}.")))
    })
}
