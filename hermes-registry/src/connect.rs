//! From a server's configuration to what stands behind it: where processes are started and HTTP
//! connections come from.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_client::{Error, HttpServer};
use mcp_transport::http::{Backend, HttpOptions, HyperBackend, Proxy};
use mcp_transport::process::{Command, StderrLog};
use mcp_transport::redact::Redactor;
use mcp_transport::{Limits, Link, stdio};

use crate::config::{HttpEndpoint, ProxyConfig, ServerConfig, TlsConfig};
use crate::environment::child_environment;

/// Makes the link to a server; the place where an application brings transports of its own.
pub trait Connect: Send + Sync {
    /// Starts the server, or whatever else stands behind its link.
    ///
    /// `redactor` hides the server's secrets in what is kept for error messages.
    ///
    /// # Errors
    ///
    /// Why there is no link; nothing is left running then.
    fn link(&self, server: &ServerConfig, redactor: &Redactor) -> Result<Link, Error>;

    /// What is needed to speak with a server behind a URL.
    ///
    /// # Errors
    ///
    /// Why it cannot be spoken with.
    fn http(&self, server: &ServerConfig, endpoint: &HttpEndpoint) -> Result<HttpServer, Error>;
}

/// Starts servers as child processes and reaches those behind a URL, as their configuration says.
#[derive(Debug, Default)]
pub struct Connector {
    stderr_log: Option<StderrLog>,
    limits: Limits,
    backends: Mutex<HashMap<(TlsConfig, ProxyConfig), HyperBackend>>,
}

impl Connector {
    /// A connector that keeps the servers' stderr for error messages only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Also appends every line of the servers' stderr to this file, after the server's name.
    #[must_use]
    pub fn with_stderr_log(mut self, path: impl Into<PathBuf>) -> Self {
        self.stderr_log = Some(StderrLog::new(path));
        self
    }

    /// Sets the bounds of the links.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl Connector {
    /// Servers with the same settings share connections, certificates and proxies.
    // Bound: one for each server that is configured, at most.
    fn backend(&self, endpoint: &HttpEndpoint) -> Result<Arc<dyn Backend>, Error> {
        let key = (endpoint.tls().clone(), endpoint.proxy().clone());
        let mut backends = self.backends.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(backend) = backends.get(&key) {
            return Ok(Arc::new(backend.clone()));
        }
        let backend = HyperBackend::new(options(&key.0, &key.1))
            .map_err(|failure| Error::not_connected(&failure))?;
        backends.insert(key, backend.clone());
        Ok(Arc::new(backend))
    }
}

fn options(tls: &TlsConfig, proxy: &ProxyConfig) -> HttpOptions {
    let mut options = HttpOptions::new()
        .verify(!tls.accepts_anything)
        .proxy(match proxy {
            ProxyConfig::Environment => Proxy::FromEnvironment,
            ProxyConfig::None => Proxy::None,
            ProxyConfig::Url(url) => Proxy::Url(url.clone()),
        });
    if let Some(path) = &tls.ca_bundle {
        options = options.ca_bundle(path);
    }
    if let Some(path) = &tls.client_cert {
        options = options.client_cert(path);
    }
    if let Some(path) = &tls.client_key {
        options = options.client_key(path);
    }
    options
}

impl Connect for Connector {
    fn link(&self, server: &ServerConfig, redactor: &Redactor) -> Result<Link, Error> {
        let Some(line) = server.command() else {
            let reason = "the server's configuration has faults".to_owned();
            return Err(Error::not_started(reason));
        };
        let ours: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        let mut command = Command::new(line.program())
            .args(line.args())
            .envs(child_environment(ours, line.env_passthrough(), line.env()))
            .redactor(redactor.clone());
        if let Some(cwd) = line.cwd() {
            command = command.cwd(cwd);
        }
        if let Some(log) = &self.stderr_log {
            command = command.stderr_log(log.with_prefix(format!("[{}] ", server.name())));
        }
        Ok(stdio::spawn(command, self.limits)?)
    }

    fn http(&self, _server: &ServerConfig, endpoint: &HttpEndpoint) -> Result<HttpServer, Error> {
        let target = endpoint
            .target()
            .map_err(|error| Error::not_started(error.to_string()))?;
        Ok(HttpServer::new(self.backend(endpoint)?, target)
            .with_transport(endpoint.transport())
            .with_limits(self.limits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;

    #[test]
    fn servers_with_the_same_certificates_and_proxy_share_connections() {
        let text = "mcp_servers:
  a: {url: 'https://a.test/mcp'}
  b: {url: 'https://b.test:8/other', headers: {X-Key: k}}
  c: {url: 'https://a.test/mcp', proxy: none}
  d: {url: 'https://a.test/mcp', ssl_verify: false}
";
        let loaded = Config::parse(text, "config.yaml", &|_name| None).expect("it is YAML");
        let connector = Connector::new();
        let made: Vec<usize> = ["a", "b", "c", "d", "a"]
            .into_iter()
            .map(|name| {
                let server = loaded.config.server(name).and_then(ServerConfig::http);
                let backend = connector.backend(server.expect("it has a URL"));
                backend.map(drop).expect("it can be made");
                connector.backends.lock().expect("nobody panics").len()
            })
            .collect();
        assert_eq!(made, [1, 1, 2, 3, 3]);
    }
}
