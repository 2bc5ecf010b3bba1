//! The client that the official conformance suite judges, as an application would write it.
//!
//! | module | job |
//! |---|---|
//! | `settings` | what the suite says in the environment |
//! | `answers` | the handlers for what its servers ask |
//! | `fill` | values for the schemas of its forms and tools |
//! | `steps` | what is done once a session is open |
//!
//! Most scenarios need nothing but a client that uses everything it is offered once, so that is
//! what is done; the others are named in `steps`. Only the public API of the crates is used.

mod answers;
mod fill;
mod settings;
mod steps;

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{Builder, Client, HttpServer};
use mcp_transport::http::{HttpOptions, HyperBackend, Target};
use mcp_types::Implementation;
use tokio::time::timeout;

pub use self::settings::{Settings, WantedCall};

use self::answers::Answers;

/// How long a scenario may take. Bound: the suite kills after 30 s and then tells no reason.
const PATIENCE: Duration = Duration::from_secs(25);

/// How long the stream for questions has before a tool is called that asks some.
///
/// Interop: the suite's server drops a question for which no such stream is open yet, and waits for
/// its answer all the same. The stream is opened while the first requests are under way.
const STANDING: Duration = Duration::from_millis(500);

/// What went wrong, in words.
pub type Outcome<T = ()> = Result<T, String>;

/// Plays the part of the client in the scenario that `settings` name, against `url`.
///
/// # Errors
///
/// If anything failed that the scenario does not want to fail, or took more than 25 s.
pub async fn run(url: &str, settings: &Settings) -> Outcome {
    timeout(PATIENCE, play(url, settings))
        .await
        .map_err(|_elapsed| format!("not done within {PATIENCE:?}"))?
}

async fn play(url: &str, settings: &Settings) -> Outcome {
    let client = connect(url, settings).await?;
    if settings.scenario.starts_with("elicitation") {
        tokio::time::sleep(STANDING).await; // sleep: the stream cannot be seen from here
    }
    let outcome = match expect_era(&client, settings) {
        Ok(()) => steps::run(&client, settings).await,
        wrong => wrong,
    };
    client.close().await;
    outcome
}

async fn connect(url: &str, settings: &Settings) -> Outcome<Client> {
    let backend = HyperBackend::new(HttpOptions::new()).map_err(|error| error.to_string())?;
    let target = Target::new(url).map_err(|error| error.to_string())?;
    // No hint about the era: what the probe finds is a part of what is judged here.
    let builder = Client::builder(Implementation::new("hermes-mcp-conformance", "0.1.0"));
    let builder = with_handlers(builder, settings);
    let client = builder.connect_http(HttpServer::new(Arc::new(backend), target));
    client.await.map_err(|error| format!("connect: {error}"))
}

fn with_handlers(builder: Builder, settings: &Settings) -> Builder {
    // This one measures the time until the next GET, whatever it is for, so the client must have
    // no reason to listen for questions.
    if settings.scenario == "sse-retry" {
        return builder;
    }
    builder
        .sampling(Arc::new(Answers))
        .elicitation(Arc::new(Answers))
        .roots(Arc::new(Answers))
}

/// The suite cannot see which era was meant, only what was sent, so this is checked here.
fn expect_era(client: &Client, settings: &Settings) -> Outcome {
    let (found, expected) = (client.session().era, settings.era());
    if found == expected {
        return Ok(());
    }
    let steps: Vec<String> = client
        .ledger()
        .iter()
        .map(|step| format!("{step:?}"))
        .collect();
    Err(format!(
        "the server was taken for {} and is {}: {}",
        found.as_str(),
        expected.as_str(),
        steps.join("; ")
    ))
}
