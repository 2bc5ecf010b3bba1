//! The one place of this module tree where a task is started; each has an owner that ends it.

use std::future::Future;

use tokio::task::JoinHandle;

/// A running task that is aborted when its owner is dropped.
#[derive(Debug)]
pub(super) struct Owned(JoinHandle<()>);

/// Starts a task that lives no longer than the handle returned.
#[expect(
    clippy::disallowed_methods,
    reason = "the handle aborts the task when it is dropped"
)]
pub(super) fn start(future: impl Future<Output = ()> + Send + 'static) -> Owned {
    Owned(tokio::spawn(future))
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.0.abort();
    }
}
