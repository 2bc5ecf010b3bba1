//! What a registry keeps between runs: the tools of servers, so that a lazy one is known before it
//! is started, and the definitions that were approved.
//!
//! A [`Store`] moves texts; what stands in them is for [`crate::pins`] and `known`.

mod folder;
mod known;

use std::io;

pub use folder::FolderStore;
pub(crate) use known::KnownServers;

/// Something that is kept between runs.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Stored {
    /// The tools of all servers that were connected.
    Catalog,
    /// The definitions of tools that were approved.
    Pins,
}

impl Stored {
    /// A name for it, of small letters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Catalog => "catalog",
            Self::Pins => "pins",
        }
    }
}

/// Where a registry keeps what is to last.
///
/// It is asked once for each thing when the registry is opened, and given a thing whenever that has
/// changed, one after the other; both may block for a moment.
pub trait Store: Send + Sync {
    /// The text that was saved last, if there is one.
    ///
    /// # Errors
    ///
    /// Why it cannot be read. The registry goes on without it.
    fn load(&self, what: Stored) -> io::Result<Option<String>>;

    /// Keeps a text in place of the last one, as a whole or not at all.
    ///
    /// # Errors
    ///
    /// Why it could not be kept. The registry tries again when there is something new.
    fn save(&self, what: Stored, text: &str) -> io::Result<()>;
}
