//! Licences of everything that is built: each expression must be met by licences of the list.

use serde_json::Value;

use super::{Finding, packages, text};

/// What a dependency may be under; `deny.toml` names the same.
const ALLOWED: &[&str] = &[
    "Apache-2.0",
    "BSD-3-Clause",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

pub(super) fn check(metadata: &Value) -> Vec<Finding> {
    packages(metadata)
        .filter(|package| !package["source"].is_null())
        .filter(|package| !is_met(text(package, "license")))
        .map(|package| {
            format!(
                "{} {}: the licence `{}` is not in the list of xtask/src/tidy/licence.rs",
                text(package, "name"),
                text(package, "version"),
                text(package, "license"),
            )
        })
        .collect()
}

/// Whether an SPDX expression can be met by allowed licences. `OR` binds weaker than `AND`.
fn is_met(expression: &str) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let met = any_of(&mut rest);
    met == Some(true) && rest.is_empty()
}

fn any_of(words: &mut &[&str]) -> Option<bool> {
    let mut met = all_of(words)?;
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        met |= all_of(words)?;
    }
    Some(met)
}

fn all_of(words: &mut &[&str]) -> Option<bool> {
    let mut met = one(words)?;
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        met &= one(words)?;
    }
    Some(met)
}

fn one(words: &mut &[&str]) -> Option<bool> {
    let (first, rest) = words.split_first()?;
    *words = rest;
    if *first == "(" {
        let met = any_of(words)?;
        let (")", rest) = words.split_first().map(|(first, rest)| (*first, rest))? else {
            return None;
        };
        *words = rest;
        return Some(met);
    }
    let mut met = ALLOWED.contains(first);
    if let ["WITH", exception, rest @ ..] = *words {
        *words = rest;
        // An exception only adds freedom to the licence before it; only known ones are taken.
        met &= *exception == "LLVM-exception";
    }
    Some(met)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_or_not() {
        for met in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(is_met(met), "{met}");
        }
        for unmet in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT",
            "MIT MIT",
            "MIT WITH Odd-exception",
        ] {
            assert!(!is_met(unmet), "{unmet}");
        }
    }

    #[test]
    fn dependency_under_another_licence_is_named_and_our_own_is_not_asked() {
        let metadata = serde_json::json!({"packages": [
            {"name": "theirs", "version": "1.0.0", "source": "registry", "license": "GPL-3.0"},
            {"name": "silent", "version": "1.0.0", "source": "registry", "license": null},
            {"name": "ours", "version": "0.1.0", "source": null, "license": null},
        ]});
        let found = check(&metadata);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("theirs 1.0.0: the licence `GPL-3.0`"),
            "{found:?}"
        );
    }
}
