//! All real servers in one registry, which loses each of them while it works.
//!
//! | module | job |
//! |---|---|
//! | `stdio` | what a server over stdio goes through |
//! | `http` | what a server behind a URL goes through |
//! | `calls` | calls that are made meanwhile, and how they ended |
//! | `watch` | what the registry says of a server at each step, held against its policy |
//! | `processes` | the processes of the servers, found by their marks |
//! | `report` | all of it as a table for a person |

mod calls;
mod http;
mod processes;
mod report;
mod stdio;
mod watch;

use std::fmt::Write as _;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use hermes_registry::life::{LifeStatus, State};
use hermes_registry::{Catalog, Config, Registry, ServerState};
use mcp_tests::stage::STAGE_MARK;
use mcp_types::Implementation;
use tokio::time::timeout;

use self::processes::Processes;
use super::serve::{Served, start};
use super::{folder, own_tools, table};

/// How long anything may take that must happen. The slowest servers need seconds to start on an
/// idle machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Servers over stdio that go through it at the same time, so that the machine has enough to do.
const STDIO_AT_ONCE: usize = 3;

/// Those behind URLs.
const HTTP_AT_ONCE: usize = 2;

/// They are started again while they are being tried, for which a busy machine may need longer than
/// the usual budget of attempts lasts.
const HTTP_SETTINGS: &str = "transport: auto\n    reconnect: {retries: 10, backoff_max: 8}";

/// The servers over stdio as they are configured, and those behind URLs.
fn open(processes: &Processes, servers: &[Served]) -> Registry {
    let file = folder().join("config.yaml");
    let mut text = std::fs::read_to_string(&file).unwrap();
    for Served { name, url, .. } in servers {
        let lines = format!("  {name}:\n    url: {url}\n    {HTTP_SETTINGS}\n");
        text.write_str(&lines).unwrap();
    }
    let vars = |name: &str| (name == STAGE_MARK).then(|| processes.run().to_owned());
    let loaded = Config::parse(&text, &file.display().to_string(), &vars).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    Registry::builder(loaded.config, Implementation::new("mcp-tests", "1")).open()
}

fn life(registry: &Registry, server: &str) -> LifeStatus {
    let lives = registry.lives().into_iter();
    let mut lives = lives.filter(|(name, _)| name.as_str() == server);
    lives.next().unwrap().1
}

/// The public names of the tools of a server that are offered.
fn offered(catalog: &Catalog, server: &str) -> Vec<String> {
    let tools = catalog.tools().iter();
    let tools = tools.filter(|tool| tool.route.server.as_str() == server);
    tools.map(|tool| tool.name.to_string()).collect()
}

fn all_are_ready(registry: &Registry) {
    for (server, status) in registry.lives() {
        let catalog = registry.catalog();
        let told = &catalog.server(server.as_str()).unwrap().state;
        assert_eq!(status.state, State::Ready, "{server}: {told:?}");
        let ServerState::Ready(ready) = told else {
            panic!("{server}: {told:?}");
        };
        let own = own_tools(&catalog, server.as_str());
        assert_eq!(own.len(), ready.tools_listed, "{server}: {own:?}");
        assert!(!own.is_empty(), "{server}");
    }
}

#[tokio::test]
async fn twenty_three_servers_that_are_killed_while_they_work_come_back_by_themselves() {
    let processes = Processes::new();
    let mut servers = start(|_| true).await;
    let registry = open(&processes, &servers);
    timeout(PATIENCE, registry.discover()).await.unwrap();
    assert_eq!(registry.lives().len(), 23);
    all_are_ready(&registry);

    let rows = table::rows();
    let over_stdio = rows.iter();
    let over_stdio = over_stdio.map(|row| stdio::lose(&registry, &processes, row));
    let over_stdio = stream::iter(over_stdio).buffered(STDIO_AT_ONCE);
    let rows = super::http::expected();
    let behind_urls = servers.iter_mut().zip(&rows);
    let behind_urls = behind_urls.map(|(served, row)| http::lose(&registry, served, row));
    let behind_urls = stream::iter(behind_urls).buffered(HTTP_AT_ONCE);
    let all = async { tokio::join!(over_stdio.collect::<Vec<_>>(), behind_urls.collect()) };
    let (trials, more): (_, Vec<_>) = all.await;
    let trials = [trials.concat(), more].concat();
    report::print(&trials);
    // Both ways in which a call that was lost with its server may go on were seen.
    let may_run_twice = |trial: &report::Trial| trial.may_run_twice;
    assert!(trials.iter().any(may_run_twice) && !trials.iter().all(may_run_twice));

    all_are_ready(&registry);
    timeout(PATIENCE, registry.close()).await.unwrap();
    let lives = registry.lives();
    assert!(lives.iter().all(|(_, life)| life.state == State::Closed));
    assert_eq!(registry.catalog().tools().len(), 0);
    assert_eq!(processes.alive(), Vec::<String>::new());
    join_all(servers.into_iter().map(Served::end)).await;
}
