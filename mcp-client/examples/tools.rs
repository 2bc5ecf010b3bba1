//! Starts the server given on the command line and prints its tools.
//!
//! ```text
//! cargo run -p mcp-client --example tools -- npx -y @modelcontextprotocol/server-everything
//! ```

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use mcp_client::{Client, Error};
use mcp_transport::{Limits, process::Command, stdio};
use mcp_types::Implementation;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else {
        println!("usage: tools COMMAND [ARGUMENT...]");
        return Ok(());
    };
    let command = Command::new(program)
        .args(arguments)
        .envs(std::env::vars_os());
    let client = Client::builder(Implementation::new("tools-example", "0.1.0"))
        .connect_with(|| stdio::spawn(command.clone(), Limits::default()).map_err(Error::from))
        .await?;
    println!(
        "{} ({})",
        client.session().version,
        client.session().era.as_str()
    );
    for tool in client.list_tools().await?.items {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }
    client.close().await;
    Ok(())
}
