//! What holds for every change of every file.

use std::ops::Range;

use proptest::prelude::*;

use super::super::layout;
use super::super::text::{comments_end, indent, line_end, line_start};
use super::*;
use crate::config::tests::properties::{PIECES, texts};

/// What may stand before the servers.
const HEADS: [&str; 4] = [
    "",
    "# head\n---\n",
    "model: 'x' # model\nother:\n  - 1 # one\n\n",
    "\u{feff}# mark\n",
];

/// What may stand behind them.
const TAILS: [&str; 5] = [
    "",
    "\n# tail\n",
    "other_end: {x: \"y\"} # other\n",
    "\n\n  # deep\nz:\n  # z\n  - 'q'",
    "...\n",
];

/// Servers in lines; `@` is the name, and comments name theirs where they belong to one.
const SERVERS_IN_LINES: [&str; 9] = [
    "  @:\n    command: run # c-@\n    args: [a, 'b']\n",
    "  # above\n  '@':\n    command: \"r\\tn\"\n    # i-@\n    tools:\n      include:\n      - one # item\n      - two\n      prompts: false\n",
    "  @: {command: run, enabled: no} # c-@\n",
    "  @:\n    command: |\n      run\n\n",
    "  @:\n    command: run\n    # f-@\n\n",
    "  \"@\": # c-@\n    url: https://x/ # u-@\n    tools: {exclude: [a, b]} # t-@\n  # below\n",
    "  @:\n    command: >+\n      run\n\n    enabled: false\n    env:\n      A: 'it''s' # e-@\n",
    "  @:\n    command: >-\n      run\n    tools: [one, two]\n",
    "  @:\n    command: \"two\n      lines\"\n    tools:\n      exclude: # x-@\n        - one # item\n        # item\n        - 'two'\n    timeout: 5\n",
];

const SERVERS_IN_BRACES: [&str; 4] = [
    "@: {command: run}",
    "\"@\": {\"command\": \"run\", \"tools\": {\"include\": [\"one\", 'two']}} # c-@\n",
    "\n    # above\n    @: {command: run, enabled: no, tools: {exclude: [a] }}",
    "@: {url: 'https://x/'}\n",
];

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A file of servers, with its line breaks.
fn file() -> impl Strategy<Value = String> {
    let servers = proptest::collection::vec(0..SERVERS_IN_LINES.len(), 0..=NAMES.len());
    let parts = (0..HEADS.len(), servers, 0..TAILS.len());
    (parts, any::<[bool; 3]>()).prop_map(|((head, servers, tail), [is_flow, is_crlf, is_cut])| {
        let named = |pieces: &[&str]| -> Vec<String> {
            let pairs = servers.iter().zip(NAMES);
            let piece =
                |(index, name): (&usize, &str)| pieces[index % pieces.len()].replace('@', name);
            pairs.map(piece).collect()
        };
        let servers = if is_flow {
            format!(
                "mcp_servers: {{{}}}\n",
                named(&SERVERS_IN_BRACES).join(", ")
            )
        } else {
            format!("mcp_servers:\n{}", named(&SERVERS_IN_LINES).concat())
        };
        let mut text = format!("{}{servers}{}", HEADS[head], TAILS[tail]);
        if is_cut {
            text.truncate(text.trim_end().len());
        }
        if is_crlf {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    })
}

fn change() -> impl Strategy<Value = Change> {
    let patterns = || proptest::collection::vec(0..4_usize, 0..3);
    let offered = (any::<bool>(), patterns(), patterns());
    (0..6_usize, 0..NAMES.len(), any::<bool>(), offered).prop_map(
        |(kind, name, enabled, (has_include, include, exclude))| {
            let patterns = |indices: Vec<usize>| -> Vec<String> {
                let indices: std::collections::BTreeSet<usize> = indices.into_iter().collect();
                let pattern = |index: usize| ["one", "two", "a b", "x*"][index].to_owned();
                indices.into_iter().map(pattern).collect()
            };
            let server = NAMES[name].to_owned();
            match kind {
                0 => Change::Add(entry("new", "run it")),
                1 => Change::Put(entry(&server, "run it")),
                2 => Change::Remove { server },
                3 => Change::Enable { server, enabled },
                _ => Change::Offer {
                    server,
                    include: has_include.then(|| patterns(include)),
                    exclude: patterns(exclude),
                },
            }
        },
    )
}

fn server_of(change: &Change) -> &str {
    match change {
        Change::Add(entry) | Change::Put(entry) => entry.name(),
        Change::Enable { server, .. }
        | Change::Offer { server, .. }
        | Change::Remove { server } => server,
    }
}

/// The parts of a text that say what one key of a mapping holds, by their keys.
fn parts<'t>(text: &'t str, path: &[&str]) -> Vec<(String, &'t str)> {
    let text = text.trim_start_matches('\u{feff}');
    let Some(mut place) = layout::parse(text) else {
        return Vec::new();
    };
    for key in path {
        let layout::Content::Group(group) = place.content else {
            return Vec::new();
        };
        let mut children = group.children.into_iter();
        match children.find(|child| child.key.as_deref() == Some(*key)) {
            Some(child) => place = child.value,
            None => return Vec::new(),
        }
    }
    let children = place.group().map_or(&[][..], |group| &group.children);
    let part = |child: &layout::Child| {
        let key = child.key.as_deref().unwrap_or_default().to_owned();
        let part = text.get(child.start..child.value.end);
        (key, part.expect("parts begin and end at characters"))
    };
    children.iter().map(part).collect()
}

/// The comments of a text, without those that belong to this server or to an item of a list.
fn comments(text: &str, server: &str) -> Vec<String> {
    let of_server = format!("-{server}");
    let comments = text.lines().filter_map(|line| line.split_once('#'));
    let others =
        comments.filter(|(_, comment)| !comment.ends_with(&of_server) && *comment != " item");
    others.map(|(_, comment)| comment.to_owned()).collect()
}

/// The lines of a server with what belongs to it, where servers stand in lines.
fn lines(text: &str, server: &str) -> Option<Range<usize>> {
    let root = layout::parse(text)?;
    let servers = root.group()?.find(SERVERS).next()?.value.group()?;
    let child = servers.find(server).next().filter(|_| !servers.is_flow)?;
    let column = indent(text, child.start)?;
    let end = line_end(text, child.value.end);
    Some(line_start(text, child.start)..comments_end(text, end, column + 1))
}

/// What must be so after a change that was made.
fn check(before: &str, after: &str, change: &Change) {
    let shown = || format!("{change:?}\n--- before\n{before}\n--- after\n{after}");
    let server = server_of(change);
    let without = |parts: Vec<(String, &str)>, key: &str| -> Vec<(String, String)> {
        let parts = parts.into_iter().filter(|(name, _)| name != key);
        parts.map(|(name, part)| (name, part.to_owned())).collect()
    };
    let others = |text: &str| {
        let beside = without(parts(text, &[]), SERVERS);
        (beside, without(parts(text, &[SERVERS]), server))
    };
    assert_eq!(others(before), others(after), "{}", shown());
    let ends_its_last_line = |text: &str| text.is_empty() || text.ends_with('\n');
    let is_kept = !ends_its_last_line(before) || ends_its_last_line(after);
    assert!(is_kept, "{}", shown());
    assert_eq!(
        comments(before, server),
        comments(after, server),
        "{}",
        shown()
    );

    let usable = |text: &str| {
        let loaded = Config::parse(text, "c.yaml", &|_| None).expect("it was read before");
        let servers = loaded.config.servers().to_vec().into_iter();
        let (own, others) =
            servers.partition(|one: &crate::ServerConfig| one.name().as_str() == server);
        (own, others)
    };
    let (own, others): (Vec<_>, Vec<_>) = usable(after);
    assert_eq!(usable(before).1, others, "{}", shown());
    match change {
        Change::Add(_) | Change::Put(_) => {
            let command = own[0].command().expect("it has one");
            assert_eq!(command.program(), "run it", "{}", shown());
        }
        Change::Remove { .. } => assert!(own.is_empty(), "{}", shown()),
        Change::Enable { enabled, .. } => assert_eq!(own[0].is_enabled(), *enabled, "{}", shown()),
        Change::Offer {
            include, exclude, ..
        } => {
            let texts = |patterns: &[crate::filter::Pattern]| {
                let mut texts: Vec<String> =
                    patterns.iter().map(|one| one.as_str().to_owned()).collect();
                texts.sort();
                texts
            };
            let filter = own[0].filter();
            let mut wanted = (include.clone(), exclude.clone());
            wanted.0.iter_mut().for_each(|include| include.sort());
            wanted.1.sort();
            assert_eq!(
                (filter.include().map(texts), texts(filter.exclude())),
                wanted,
                "{}",
                shown()
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn only_the_change_changes(text in file(), change in change()) {
        let is_there = parts(&text, &[SERVERS]).iter().any(|(name, _)| name == server_of(&change));
        let is_new = matches!(change, Change::Add(_) | Change::Put(_));
        match edit(&text, "c.yaml", std::slice::from_ref(&change)) {
            Ok(after) => check(&text, &after, &change),
            Err(error) => prop_assert!(!is_there && !is_new, "{error}\n{change:?}\n{text}"),
        }
    }

    #[test]
    fn what_is_added_and_taken_out_again_leaves_the_file_as_it_was(text in file()) {
        let after = edited(&text, add("new"));
        let lines = lines(&after, "new");
        let again = edited(&after, remove("new"));
        // Without a line break at the end there has to be one before what is added.
        let is_whole = text.ends_with('\n') && lines.is_some();
        if is_whole && !parts(&text, &[SERVERS]).is_empty() {
            prop_assert_eq!(again, text);
        }
    }

    #[test]
    fn a_server_in_lines_goes_with_its_lines(text in file(), name in 0..NAMES.len()) {
        let text = text.trim_start_matches('\u{feff}');
        if let Some(lines) = lines(text, NAMES[name]) {
            let mut left = text.to_owned();
            left.replace_range(lines, "");
            prop_assert_eq!(edited(text, remove(NAMES[name])), left);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn no_text_panics_and_no_other_server_changes(
        text in texts(&PIECES, 40),
        is_within in any::<bool>(),
        change in change(),
    ) {
        let text = if is_within {
            format!("mcp_servers:\n  a:\n    command: x\n    {text}\n  b: {{command: y}}\n")
        } else {
            text
        };
        let Ok(after) = edit(&text, "c.yaml", std::slice::from_ref(&change)) else {
            return Ok(());
        };
        let others = |text: &str| {
            let loaded = Config::parse(text, "c.yaml", &|_| None).expect("it was read before");
            let mut servers = loaded.config.servers().to_vec();
            servers.retain(|one| one.name().as_str() != server_of(&change));
            servers
        };
        prop_assert_eq!(others(&text), others(&after), "{:?}\n{}\n{}", change, text, after);
    }
}
