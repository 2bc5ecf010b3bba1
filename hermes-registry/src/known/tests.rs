//! Every manifest, as the configuration reads it.

use std::collections::BTreeSet;

use super::*;
use crate::config::{Context, Endpoint};

#[test]
fn every_manifest_is_a_server_that_needs_just_what_it_says() {
    for known in all() {
        let names: BTreeSet<&str> = known.needs.iter().map(|need| need.name.as_str()).collect();
        let asked = std::cell::RefCell::new(BTreeSet::new());
        let vars = |name: &str| {
            asked.borrow_mut().insert(name.to_owned());
            names.contains(name).then(|| "/some/value".to_owned())
        };
        let context = Context::new(&vars);
        asked.borrow_mut().clear();
        let loaded = known.entry(&BTreeMap::new()).read_in(&context).unwrap();
        let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, Vec::<String>::new(), "{}", known.name);
        let asked = asked.into_inner();
        let asked: BTreeSet<&str> = asked.iter().map(String::as_str).collect();
        assert_eq!(asked, names, "{}", known.name);

        let server = loaded.config.server(known.name).expect("it has its name");
        if let Endpoint::Http(http) = server.endpoint() {
            assert!(http.url().starts_with("https://"), "{}", known.name);
        }
        let links = known.needs.iter().filter_map(|need| need.from.as_ref());
        for link in links.chain([&known.homepage]) {
            assert!(link.starts_with("https://"), "{}: {link}", known.name);
        }
        assert!(known.description.ends_with('.'), "{}", known.name);
    }
}

#[test]
fn every_file_is_in_the_list_and_the_list_is_sorted() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/optional-mcps");
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = files.collect();
    files.sort();
    let known: Vec<String> = all()
        .iter()
        .map(|known| format!("{}.yaml", known.name))
        .collect();
    assert_eq!(files, known);
}

#[test]
fn values_are_filled_in_and_what_is_not_given_stays_a_reference() {
    let github = find("github").unwrap();
    assert!(github.needs[0].is_secret);
    // An address may hold a password.
    assert!(find("postgres").unwrap().needs[0].is_secret);
    assert!(!find("git").unwrap().needs[0].is_secret);
    let bare = github.entry(&BTreeMap::new()).to_yaml();
    assert!(
        bare.contains("\"Bearer ${GITHUB_PERSONAL_ACCESS_TOKEN}\""),
        "{bare}"
    );
    let token = ("GITHUB_PERSONAL_ACCESS_TOKEN".to_owned(), "t".to_owned());
    let filled = github.entry(&BTreeMap::from([token])).to_yaml();
    assert!(filled.contains("Authorization: \"Bearer t\""), "{filled}");
    assert!(find("nothing").is_none());
}

#[test]
fn a_manifest_with_faults_is_refused() {
    let good = "title: T\ndescription: D.\nhomepage: https://x/\nserver: {command: x}\n";
    assert!(manifest::parse("x", good).is_ok());
    for (text, expected) in [
        ("", "is empty"),
        ("[a]", "a list stands where a mapping should"),
        (
            "title: T\n",
            "x: lacks a title, a description or a homepage",
        ),
        (&good.replace("server", "serve"), "x: unknown key `serve`"),
        (
            &good.replace("command", "comand"),
            "`comand` has no place in a manifest",
        ),
        (
            &good.replace("x}", "[{}]}"),
            "a mapping stands where a text should",
        ),
        (
            &format!("{good}needs: {{A: {{from: b}}}}\n"),
            "A: nothing says what it is",
        ),
    ] {
        assert_eq!(manifest::parse("x", text).unwrap_err(), expected, "{text}");
    }
}
