//! What ARCHITECTURE.md must name: each crate, each word of the glossary, the true crate graph.

use super::Finding;

/// One word per idea; the glossary explains each.
const GLOSSARY: &[&str] = &[
    "frame", "link", "exchange", "call", "ask", "notice", "era", "session", "peer", "server",
    "catalog", "obituary", "ledger",
];

/// The fence that opens the drawn graph.
const GRAPH_FENCE: &str = "```text graph";

pub(super) fn architecture(text: &str, folders: &[String]) -> Vec<Finding> {
    let pictured: String = blocks(text).concat();
    let mut found = Vec::new();
    for folder in folders {
        // A whole word: `mcp-client` must not be found inside a longer name.
        let named = pictured
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
            .any(|word| word == folder);
        if !named {
            found.push(format!(
                "ARCHITECTURE.md: no picture names the folder {folder}"
            ));
        }
    }
    for word in GLOSSARY {
        if !text.contains(&format!("**{word}**")) {
            found.push(format!("ARCHITECTURE.md: the glossary lacks **{word}**"));
        }
    }
    found
}

/// The block marked as the graph holds exactly what `cargo xtask graph` prints.
pub(super) fn graph(text: &str, picture: &str) -> Vec<Finding> {
    let drawn = text
        .split_once(&format!("{GRAPH_FENCE}\n"))
        .and_then(|(_, rest)| rest.split_once("```"));
    match drawn {
        None => vec![format!(
            "ARCHITECTURE.md: no block opened by `{GRAPH_FENCE}`"
        )],
        Some((drawn, _)) if drawn != picture => vec![format!(
            "ARCHITECTURE.md: the block `{GRAPH_FENCE}` is not what `cargo xtask graph` prints:\n{picture}"
        )],
        Some(_) => Vec::new(),
    }
}

/// The insides of fenced blocks.
fn blocks(text: &str) -> Vec<&str> {
    text.split("```").skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glossary() -> String {
        GLOSSARY
            .iter()
            .map(|word| format!("- **{word}**: …\n"))
            .collect()
    }

    #[test]
    fn crate_outside_the_picture_is_named() {
        let text = format!(
            "{}mcp-types\n```text\nmcp-client-x mcp-jsonrpc\n```\n",
            glossary()
        );
        let folders = ["mcp-jsonrpc", "mcp-types", "mcp-client"].map(str::to_owned);
        let found = architecture(&text, &folders);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].ends_with("mcp-types") && found[1].ends_with("mcp-client"),
            "{found:?}"
        );
    }

    #[test]
    fn missing_word_is_named() {
        let text = glossary().replace("**era**", "era");
        assert_eq!(
            architecture(&text, &[]),
            ["ARCHITECTURE.md: the glossary lacks **era**"]
        );
    }

    #[test]
    fn drawn_graph_must_be_the_true_one() {
        let text = "x\n```text graph\na -> b\n```\n";
        assert_eq!(graph(text, "a -> b\n"), Vec::<Finding>::new());
        assert!(graph(text, "a -> c\n")[0].contains("is not what"));
        assert!(graph("nothing", "a\n")[0].contains("no block"));
    }
}
