//! A tool of the host, and what carries it out.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp_types::{CallToolResult, RawJson, Tool};

use crate::name::{PublicName, Route, ServerName};
use crate::toolsets::TOOLSET_PREFIX;

/// How long a call may take unless the tool or the caller says otherwise: 120 seconds, as for
/// tools of servers.
const TIMEOUT_DEFAULT: Duration = Duration::from_secs(120);

/// Carries out the calls of a tool of the host.
#[async_trait]
pub trait HostToolHandler: Send + Sync {
    /// Carries out a call; `arguments` is a JSON object that fits the tool's schema.
    ///
    /// # Errors
    ///
    /// Why the tool failed, in words for a model; it becomes a result that is an error.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when the call is cancelled or its time is over.
    async fn call(&self, arguments: RawJson) -> Result<CallToolResult, String>;
}

/// Tells whether a tool can be used at the moment. It must be quick and must not block.
pub type Check = dyn Fn() -> bool + Send + Sync;

/// A tool of the host.
#[derive(Clone)]
pub struct HostTool {
    pub(super) name: PublicName,
    pub(super) toolset: ServerName,
    pub(super) tool: Arc<Tool>,
    handler: Arc<dyn HostToolHandler>,
    pub(super) check: Option<Arc<Check>>,
    timeout: Duration,
}

impl HostTool {
    /// A tool of a toolset; the name of the tool is its public name.
    ///
    /// # Errors
    ///
    /// [`InvalidHostTool`] if the name is not 1 to 64 characters of `[A-Za-z0-9_-]`, if that of the
    /// toolset is empty, longer than 64 characters or begins with `mcp-`, or if the schema of the
    /// arguments is no object.
    pub fn new(
        toolset: &str,
        tool: Tool,
        handler: impl HostToolHandler + 'static,
    ) -> Result<Self, InvalidHostTool> {
        let name = PublicName::of_host(&tool.name).ok_or_else(|| InvalidHostTool::Name {
            name: tool.name.clone(),
        })?;
        let bad_toolset = || InvalidHostTool::Toolset {
            toolset: toolset.to_owned(),
        };
        if toolset.starts_with(TOOLSET_PREFIX) {
            return Err(bad_toolset());
        }
        let toolset = ServerName::new(toolset).map_err(|_invalid| bad_toolset())?;
        let schema = tool.input_schema.as_ref();
        if !schema.is_none_or(RawJson::is_object) {
            return Err(InvalidHostTool::Schema { name });
        }
        Ok(Self {
            name,
            toolset,
            tool: Arc::new(tool),
            handler: Arc::new(handler),
            check: None,
            timeout: TIMEOUT_DEFAULT,
        })
    }

    /// The same tool, offered only while this says so. It is asked again once its answer is 30
    /// seconds old, and a single `false` within 60 seconds of the last `true` is not believed.
    #[must_use]
    pub fn with_check(mut self, check: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.check = Some(Arc::new(check));
        self
    }

    /// The same tool, with this time for a call. Default: 120 seconds.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The toolset that it belongs to.
    #[must_use]
    pub fn toolset(&self) -> &str {
        self.toolset.as_str()
    }

    pub(crate) fn public_name(&self) -> &PublicName {
        &self.name
    }

    /// Where a call of it leads.
    pub(crate) fn route(&self) -> Route {
        Route {
            server: self.toolset.clone(),
            tool: self.name.as_str().into(),
        }
    }

    pub(crate) fn definition(&self) -> &Arc<Tool> {
        &self.tool
    }

    pub(crate) fn handler(&self) -> &Arc<dyn HostToolHandler> {
        &self.handler
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }
}

impl fmt::Debug for HostTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostTool")
            .field("name", &self.name)
            .field("toolset", &self.toolset)
            .finish_non_exhaustive()
    }
}

/// Why something cannot be a tool of the host.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum InvalidHostTool {
    /// Its name is not one that interfaces of models take.
    Name {
        /// The name.
        name: String,
    },
    /// The schema of its arguments is no object.
    Schema {
        /// The tool.
        name: PublicName,
    },
    /// The name of the toolset cannot be one.
    Toolset {
        /// The name.
        toolset: String,
    },
}

impl fmt::Display for InvalidHostTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { name } => write!(
                f,
                "`{}` cannot name a tool: give it 1 to 64 letters, digits, `_` and `-`",
                name.escape_debug()
            ),
            Self::Schema { name } => write!(
                f,
                "the schema of the arguments of `{name}` is no JSON object"
            ),
            Self::Toolset { toolset } => write!(
                f,
                "`{}` cannot name a toolset of the host: give it 1 to 64 characters, of which the \
                 first are not `{TOOLSET_PREFIX}`, since such toolsets belong to servers",
                toolset.escape_debug()
            ),
        }
    }
}

impl std::error::Error for InvalidHostTool {}
