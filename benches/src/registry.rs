//! Two hundred servers of a hundred tools each in one registry: what it costs to connect them, to
//! hold them, to find a tool and to show all tools to a model.

use std::error::Error;
use std::time::{Duration, Instant};

use hermes_registry::config::{CommandLine, Protocol};
use hermes_registry::schema::Flavor;
use hermes_registry::{Catalog, Config, Registry, ServerConfig};
use mcp_types::{Implementation, RawJson, Tool};

use crate::clients::idle::private_dirty;

const SERVERS: usize = 200;
const TOOLS: usize = 100;

/// The most that the second rendering of all definitions may take.
const RENDER_MAX: Duration = Duration::from_micros(5);
/// The most that finding one tool by its public name may take.
const LOOKUP_MAX: Duration = Duration::from_micros(1);
/// The most private memory of a server beyond its tools' own bytes, in kB: the fields and texts of
/// each tool, whatever holds them.
const SERVER_KB_MAX: f64 = 60.0;

/// Longer than a connection keeps storage that it does not need.
const QUIET: Duration = Duration::from_secs(11);

/// How often all tools are looked up.
const ROUNDS: u32 = 10;

pub fn measure() -> Result<(), String> {
    let over = run().map_err(|error| error.to_string())?;
    match over.as_slice() {
        [] => Ok(()),
        over => Err(format!("over its bar: {}", over.join(", "))),
    }
}

fn run() -> Result<Vec<&'static str>, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let registry = Registry::builder(config()?, Implementation::new("bench", "1")).open();
    // What a process pays once is paid with the first.
    runtime.block_on(registry.discover_server("server000"))?;
    let before = private_dirty()?;
    let start = Instant::now();
    let mut catalog = registry.catalog();
    // All of it runs on this thread, whose allocations are counted.
    let counted = allocation_counter::measure(|| {
        runtime.block_on(async {
            catalog = registry.discover().await;
            tokio::time::sleep(QUIET).await;
        });
    });
    let discovered = start.elapsed().saturating_sub(QUIET);
    if catalog.tools().len() != SERVERS * TOOLS {
        return Err(format!("{} tools in the catalog", catalog.tools().len()).into());
    }
    println!("{SERVERS} servers, {} tools", catalog.tools().len());
    println!("one discovery                  {discovered:10.2?}");
    let others = (SERVERS - 1) as f64;
    let dirty = private_dirty()?.saturating_sub(before) as f64 / others;
    let (wire, own) = own_kb(&catalog)?;
    let each = counted.bytes_current as f64 / 1024.0 / others;
    let beyond = each - own;
    println!("kB allocated per server        {each:10.2}  (private pages: {dirty:.2})");
    println!("of these its tools' own        {own:10.2}  (on the wire: {wire:.2})");

    let mut over = Vec::new();
    let mut hold = |name: &'static str, figure: f64, max: f64, unit: &str| {
        let is_over = figure > max;
        let verdict = if is_over { "OVER" } else { "ok" };
        println!("{name:30} {figure:10.3} {unit}, max {max} {verdict}");
        over.extend(is_over.then_some(name));
    };
    hold(
        "kB per server beyond its tools",
        beyond,
        SERVER_KB_MAX,
        "kB",
    );

    let start = Instant::now();
    let first = catalog.definitions(Flavor::Strict);
    let rendered = start.elapsed();
    println!(
        "definitions, the first time    {rendered:10.2?} for {} bytes",
        first.json().len()
    );
    let start = Instant::now();
    let second = registry.catalog().definitions(Flavor::Strict);
    let again = start.elapsed();
    assert_eq!(
        second.json().as_ptr(),
        first.json().as_ptr(),
        "the bytes are shared"
    );
    hold(
        "definitions, the second time",
        micros(again),
        micros(RENDER_MAX),
        "µs",
    );
    hold(
        "finding a tool by its name",
        micros(lookup(&catalog)),
        micros(LOOKUP_MAX),
        "µs",
    );
    hold(
        "finding a call's route",
        micros(resolve(&registry, &catalog)?),
        micros(LOOKUP_MAX),
        "µs",
    );
    runtime.block_on(registry.close());
    Ok(over)
}

fn config() -> Result<Config, Box<dyn Error>> {
    let server = std::env::current_exe()?.with_file_name("bench-server");
    let server = server.to_str().ok_or("the path is no UTF-8")?;
    let mut config = Config::new();
    for number in 0..SERVERS {
        let line = CommandLine::new(server).with_args([TOOLS.to_string()]);
        let configured = ServerConfig::stdio(&format!("server{number:03}"), line)?;
        config = config.with_server(configured.with_protocol(Protocol::Legacy));
    }
    Ok(config)
}

/// What the tools of one server take on the wire, and as they are held: their fields and texts.
fn own_kb(catalog: &Catalog) -> Result<(f64, f64), Box<dyn Error>> {
    let (mut wire, mut own) = (0, 0);
    for tool in catalog.tools() {
        let tool = &*tool.tool;
        wire += RawJson::from_value(tool)?.as_str().len() + 1;
        let texts = [
            Some(&tool.name),
            tool.title.as_ref(),
            tool.description.as_ref(),
        ];
        let texts = texts.into_iter().flatten().map(String::len).sum::<usize>();
        let schema = tool.input_schema.as_ref();
        let schema = schema.map_or(0, |schema| schema.as_str().len());
        own += size_of::<Tool>() + texts + schema;
    }
    let kb = |bytes: usize| bytes as f64 / 1024.0 / SERVERS as f64;
    Ok((kb(wire), kb(own)))
}

/// The time to find one tool, over all of them in an order that no cache knows.
fn lookup(catalog: &Catalog) -> Duration {
    let names = shuffled(catalog);
    let start = Instant::now();
    let mut found = 0;
    for _ in 0..ROUNDS {
        found += names
            .iter()
            .filter(|name| catalog.tool(name).is_some())
            .count();
    }
    let took = start.elapsed();
    assert_eq!(found, names.len() * ROUNDS as usize, "each is found");
    took / (names.len() as u32 * ROUNDS)
}

/// The time to find out where a call leads, by its public name.
fn resolve(registry: &Registry, catalog: &Catalog) -> Result<Duration, Box<dyn Error>> {
    let (names, config) = (shuffled(catalog), registry.config());
    let start = Instant::now();
    for _ in 0..ROUNDS {
        for name in &names {
            std::hint::black_box(catalog.resolve(name, &config)?);
        }
    }
    Ok(start.elapsed() / (names.len() as u32 * ROUNDS))
}

/// All public names, each far from the one before it.
fn shuffled(catalog: &Catalog) -> Vec<String> {
    /// No divisor of the number of tools.
    const STEP: usize = 7_919;
    let tools = catalog.tools();
    let at = |index: usize| tools[index * STEP % tools.len()].name.to_string();
    (0..tools.len()).map(at).collect()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
