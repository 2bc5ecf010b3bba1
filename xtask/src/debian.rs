//! Programs that come from Debian's packages: installed where we may, else named.

use crate::shell::{Cmd, Outcome};

/// Makes sure that `program` can be run.
pub(crate) fn ensure(program: &str, package: &str) -> Outcome {
    if has(program) {
        Ok(())
    } else {
        install(program, package)
    }
}

/// Installs `package`, since `wanted` is not there.
pub(crate) fn install(wanted: &str, package: &str) -> Outcome {
    let is_root = Cmd::new("id -u").read().is_ok_and(|id| id.trim() == "0");
    if !is_root || !has("apt-get") {
        return Err(format!(
            "{wanted} is missing, and only root can install it here; install the package \
             `{package}` and run this again"
        ));
    }
    println!("{wanted} is missing: installing the Debian package {package}");
    let wants = |verb: &str| {
        Cmd::new("apt-get -qq")
            .arg(verb)
            .env("DEBIAN_FRONTEND", "noninteractive")
    };
    let installed = wants("update").run().and_then(|()| {
        wants("install")
            .arg("-y")
            .arg("--no-install-recommends")
            .arg(package)
            .run()
    });
    installed.map_err(|error| {
        format!("installing `{package}` failed, which needs Debian's package mirror: {error}")
    })
}

fn has(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_on_the_path() {
        assert!(has("cargo"));
        assert!(!has("no-such-program-of-ours"));
    }
}
