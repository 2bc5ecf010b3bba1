//! The one place of this module tree where tasks are started: those that drive connections.
//!
//! The pool asks for three sorts, and each ends by itself. A connection is driven until it is
//! closed, which happens when the peer closes it, when it was idle for too long, when its exchange
//! is given up, or when the pool is gone and nothing is under way on it. A second sort waits for a
//! connection to become free for the next request, and ends with the connection. A third clears
//! idle connections out, and ends with the pool.

use std::future::Future;

use hyper::rt::Executor;

/// Starts the tasks of connections on the runtime of whoever sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tasks;

impl<F> Executor<F> for Tasks
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    #[expect(
        clippy::disallowed_methods,
        reason = "a connection is owned by the pool and the exchanges on it, and ends with them"
    )]
    fn execute(&self, future: F) {
        drop(tokio::spawn(future));
    }
}
