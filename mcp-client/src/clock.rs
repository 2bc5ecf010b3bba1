//! The one place where this crate reads the time.

use std::time::Instant;

/// Now, by the runtime's clock, so that tests may stop it.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
