//! `cargo xtask fuzz [TARGET] [--secs N]`: runs fuzz targets of `fuzz/` on the nightly toolchain.
//!
//! The same properties run on stable under proptest, so the gate needs none of this.

use crate::shell::{Cmd, Outcome, root};

const SECS: u64 = 60;

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
struct Wanted<'a> {
    target: Option<&'a str>,
    secs: u64,
}

pub(crate) fn run(args: &[&str]) -> Outcome {
    let wanted = parse(args)?;
    let targets = targets()?;
    let chosen: Vec<&String> = match wanted.target {
        None => targets.iter().collect(),
        Some(name) => targets.iter().filter(|target| *target == name).collect(),
    };
    if chosen.is_empty() {
        return Err(format!(
            "no such fuzz target; there are: {}",
            targets.join(", ")
        ));
    }
    println!("fuzz targets: {}", targets.join(", "));
    tools()?;
    chosen
        .into_iter()
        .try_for_each(|target| fuzz(target, wanted.secs))
}

fn fuzz(target: &str, secs: u64) -> Outcome {
    let folder = root().join("fuzz");
    // What the fuzzer finds on its way goes to the first folder, so that the seeds stay few.
    let found = folder.join("target/corpus").join(target);
    std::fs::create_dir_all(&found).map_err(|error| format!("{}: {error}", found.display()))?;
    let mut cmd = Cmd::new("cargo +nightly fuzz run --fuzz-dir .")
        .dir(&folder)
        .arg(target)
        .path(&found);
    let seeds = folder.join("corpus").join(target);
    if seeds.is_dir() {
        cmd = cmd.path(&seeds);
    }
    let known = findings(target);
    cmd.arg("--")
        .arg(format!("-max_total_time={secs}"))
        .run()
        .map_err(|error| match findings(target) {
            found if found > known => format!(
                "{error}\n  → the input is the newest file under fuzz/artifacts/{target}/; it \
                 becomes a seed and a named test"
            ),
            _ => error,
        })
}

/// How many inputs are known that the target did not stand.
fn findings(target: &str) -> usize {
    let folder = root().join("fuzz/artifacts").join(target);
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

fn parse<'a>(args: &[&'a str]) -> Outcome<Wanted<'a>> {
    let number = |text: &str| {
        text.parse()
            .map_err(|error| format!("--secs takes a number of seconds, not `{text}`: {error}"))
    };
    match args {
        [] => Ok(Wanted {
            target: None,
            secs: SECS,
        }),
        ["--secs", secs] => Ok(Wanted {
            target: None,
            secs: number(secs)?,
        }),
        [target] if !target.starts_with('-') => Ok(Wanted {
            target: Some(target),
            secs: SECS,
        }),
        [target, "--secs", secs] | ["--secs", secs, target] => Ok(Wanted {
            target: Some(target),
            secs: number(secs)?,
        }),
        _ => Err(format!(
            "usage: cargo xtask fuzz [TARGET] [--secs N], not `{}`",
            args.join(" ")
        )),
    }
}

fn targets() -> Outcome<Vec<String>> {
    let folder = root().join("fuzz/fuzz_targets");
    let entries = std::fs::read_dir(&folder).map_err(|error| {
        format!(
            "{} cannot be read ({error}): no fuzz targets yet",
            folder.display()
        )
    })?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

fn tools() -> Outcome {
    if !Cmd::new("cargo +nightly --version").succeeds() {
        return Err(
            "fuzzing needs the nightly toolchain: `rustup toolchain install nightly`".to_owned(),
        );
    }
    if Cmd::new("cargo fuzz --version").succeeds() {
        return Ok(());
    }
    println!("cargo-fuzz is missing: installing it");
    Cmd::new("cargo install cargo-fuzz --locked").run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_and_seconds_in_either_order() {
        let both = Wanted {
            target: Some("lines"),
            secs: 600,
        };
        assert_eq!(parse(&["lines", "--secs", "600"]).unwrap(), both);
        assert_eq!(parse(&["--secs", "600", "lines"]).unwrap(), both);
        assert_eq!(
            parse(&[]).unwrap(),
            Wanted {
                target: None,
                secs: SECS
            }
        );
        assert!(parse(&["--secs", "soon"]).unwrap_err().contains("`soon`"));
        assert!(parse(&["lines", "decode"]).unwrap_err().contains("usage"));
    }
}
