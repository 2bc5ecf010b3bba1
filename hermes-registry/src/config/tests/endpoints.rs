//! Where a server is: the words for its transport, and its command.

use super::*;

#[test]
fn each_word_for_a_transport_stands_for_one() {
    use HttpTransport::{Auto, Sse, Streamable};
    for (line, expected) in [
        ("type: http", Streamable),
        ("type: streamable-http", Streamable),
        ("type: STREAMABLE_HTTP", Streamable),
        ("transport: auto", Auto),
        ("type: remote", Auto),
        ("", Auto),
        ("type: sse", Sse),
    ] {
        let loaded = loaded(&with_server(&format!("url: 'http://s.test'\n{line}")));
        let server = loaded.config.server("s").and_then(ServerConfig::http);
        assert_eq!(
            server.map(HttpEndpoint::transport),
            Some(expected),
            "{line}"
        );
    }
}

#[test]
fn a_command_and_its_folder_may_begin_at_the_home_folder() {
    let loaded = loaded(&with_server(
        "command: ~/bin/x\nargs: [~/a, '~']\ncwd: '~'\nenv: {A: ~/b}",
    ));
    let server = loaded.config.server("s");
    let command = server.and_then(ServerConfig::command).unwrap();
    assert_eq!(command.program(), "/home/ada/bin/x");
    assert_eq!(command.cwd(), Some(Path::new("/home/ada")));
    // What a program makes of its own words is not known here.
    assert_eq!(command.args(), ["~/a", "~"]);
    assert_eq!(command.env().collect::<Vec<_>>(), [("A", "~/b")]);
}

#[test]
fn a_server_takes_the_place_of_one_of_its_name_and_of_no_other() {
    let server =
        |name: &str, program: &str| ServerConfig::stdio(name, CommandLine::new(program)).unwrap();
    let config = Config::new()
        .with_server(server("a", "one"))
        .with_server(server("b", "two"))
        .with_server(server("a", "three"));
    let program = |name| config.server(name).and_then(ServerConfig::command).unwrap();
    assert_eq!(config.servers().len(), 2);
    assert_eq!(program("a").program(), "three");
    assert_eq!(program("b").program(), "two");
}
