//! Servers on this machine, although a proxy is set.

use crate::network::{Network, without_proxies};
use crate::support::{Home, Run, finish};

fn test_with(home: &Home, url: &str, variables: &[(&str, String)]) -> Run {
    home.write(
        "config.yaml",
        &format!("mcp_servers:\n  s:\n    url: {url}\n"),
    );
    let mut command = home.command(&["mcp", "test", "s"]);
    without_proxies(&mut command);
    command.envs(variables.iter().map(|(name, value)| (*name, value)));
    finish(command, "")
}

/// Case BR-090.
#[test]
fn this_machine_is_asked_without_the_proxy_of_the_environment() {
    let (home, network) = (Home::new(), Network::new());
    let proxy = network.counting_proxy();
    let set = |name| (name, format!("http://127.0.0.1:{}", proxy.port));
    let set = vec![set("HTTP_PROXY"), set("http_proxy"), set("ALL_PROXY")];
    let exempt = [
        &set[..],
        &[("NO_PROXY", "localhost,127.0.0.1,::1".to_owned())],
    ]
    .concat();
    let mut tested = 0;
    for (host, address) in [
        ("127.0.0.1", "127.0.0.1:0"),
        ("localhost", "127.0.0.1:0"),
        ("[::1]", "[::1]:0"),
    ] {
        // Not every machine has the other family.
        let Some(port) = network.mcp_at(address) else {
            continue;
        };
        for variables in [&set, &exempt] {
            let url = format!("http://{host}:{port}/mcp");
            let run = test_with(&home, &url, variables);
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{url}: {run:?}");
            assert!(run.stdout.starts_with("server `s` works\n"), "{run:?}");
            tested += 1;
        }
    }
    assert!(tested >= 4 && proxy.connections() == 0, "{tested}");

    // Another machine is reached through it.
    let run = test_with(&home, "http://far.test/mcp", &set);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(proxy.connections() > 0);
}
