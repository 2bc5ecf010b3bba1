//! Tasks that end by themselves, and are let go of as they do.

use tokio::task::JoinSet;

/// Tasks of one sort.
#[derive(Debug, Default)]
pub(crate) struct Tasks(JoinSet<()>);

impl Tasks {
    /// Starts a task.
    pub(crate) fn start(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        // Bound: a task that has ended is kept until the next one starts at most, so that those of
        // a server that comes and goes do not gather.
        while self.0.try_join_next().is_some() {}
        self.0.spawn(task);
    }

    /// Waits until all have ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops those that have not.
    pub(crate) async fn ended(mut self) {
        while self.0.join_next().await.is_some() {}
    }

    /// Stops all, and waits until they have.
    pub(crate) async fn stop(mut self) {
        self.0.shutdown().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tasks_that_have_ended_do_not_gather() {
        let mut tasks = Tasks::default();
        tasks.start(std::future::pending());
        for _ in 0..100 {
            tasks.start(std::future::ready(()));
            tokio::task::yield_now().await;
            assert!(tasks.0.len() <= 3, "{}", tasks.0.len());
        }
        tasks.stop().await;
    }
}
