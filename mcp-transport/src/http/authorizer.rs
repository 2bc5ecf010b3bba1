//! The seam to whoever has credentials.

use std::fmt;

use async_trait::async_trait;
use http::{HeaderMap, Method, StatusCode, Uri};

/// Gives requests their credentials, and is asked when they are refused.
#[async_trait]
pub trait Authorizer: fmt::Debug + Send + Sync {
    /// Adds the credentials of one request to its headers.
    ///
    /// # Errors
    ///
    /// Why there are none to be had; the request is not sent then.
    async fn authorize(
        &self,
        method: &Method,
        url: &Uri,
        headers: &mut HeaderMap,
    ) -> Result<(), Denied>;

    /// Hears that a request was answered with 401 or 403, and says whether it is worth another
    /// try with what [`Authorizer::authorize`] gives then.
    ///
    /// # Errors
    ///
    /// Why it is not; the request fails with that.
    async fn refused(&self, status: StatusCode, headers: &HeaderMap) -> Result<(), Denied>;
}

/// Why there are no credentials, in words that tell the user what to do.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "it is a text and nothing else")]
pub struct Denied(pub String);

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Denied {}
