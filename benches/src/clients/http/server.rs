//! The server process that stands beside this program.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, Command, Stdio};

/// A server; it ends when its input does, which this value holds.
pub struct Server {
    _child: Child,
    ports: Vec<u16>,
}

impl Server {
    pub fn start(ports: usize) -> Result<Self, String> {
        let mut path = std::env::current_exe().map_err(|error| error.to_string())?;
        path.set_file_name("bench-http-server");
        let mut child = Command::new(path)
            .arg(ports.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("bench-http-server: {error}"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            let read = BufReader::new(output).read_line(&mut line);
            read.map_err(|error| error.to_string())?;
        }
        let ports = line
            .split_whitespace()
            .map(|word| word.parse().map_err(|error| format!("{word}: {error}")))
            .collect::<Result<_, String>>()?;
        Ok(Self {
            _child: child,
            ports,
        })
    }

    pub fn port(&self, at: usize) -> u16 {
        self.ports.get(at).copied().unwrap_or_default()
    }

    pub fn url(&self, at: usize, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port(at))
    }

    /// The connections that clients have opened so far.
    pub fn connections(&self) -> Result<u64, String> {
        let ask = || {
            let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port(0)))?;
            socket.write_all(
                b"GET /connections HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
            )?;
            let mut reply = String::new();
            socket.read_to_string(&mut reply)?;
            Ok::<String, std::io::Error>(reply)
        };
        let reply = ask().map_err(|error| error.to_string())?;
        let body = reply.rsplit("\r\n").next().unwrap_or_default();
        let all: u64 = body.parse().map_err(|error| format!("{body}: {error}"))?;
        // The connection that asks is none of theirs.
        Ok(all.saturating_sub(1))
    }
}
