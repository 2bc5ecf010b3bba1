//! What a child process is given of our environment.
//!
//! A server gets the few variables that programs need to run at all, then what its configuration
//! names, and nothing else: no key or token of ours leaks into it by accident.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The variables of ours that every child gets, beside all that begin with [`PREFIX`].
const NAMES: [&str; 8] = [
    "PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR",
];

/// The beginning of further variables of ours that every child gets.
const PREFIX: &str = "XDG_";

/// Whether every child process gets this variable of ours.
#[must_use]
pub fn is_passed_on(name: &str) -> bool {
    NAMES.contains(&name) || name.starts_with(PREFIX)
}

/// The whole environment of a child, sorted by name.
///
/// It has exactly `PATH`, `HOME`, `USER`, `LANG`, `LC_ALL`, `TERM`, `SHELL`, `TMPDIR`, every
/// `XDG_*` and what `passthrough` names of `ours`, as far as they are set there, and on top of them
/// everything in `configured`, which wins.
/// A configured variable with an empty value is set to the empty text, not removed.
pub fn child_environment<'a>(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    passthrough: &[String],
    configured: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<(OsString, OsString)> {
    let is_ours = |name: &OsStr| {
        name.to_str().is_some_and(|name| {
            is_passed_on(name) || passthrough.iter().any(|passed| passed == name)
        })
    };
    let mut environment: BTreeMap<OsString, OsString> =
        ours.into_iter().filter(|(name, _)| is_ours(name)).collect();
    for (name, value) in configured {
        environment.insert(OsString::from(name), OsString::from(value));
    }
    environment.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(ours: &[(&str, &str)], configured: &[(&str, &str)]) -> Vec<(String, String)> {
        let ours = ours
            .iter()
            .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        child_with(ours, &[], configured)
    }

    fn child_with(
        ours: impl Iterator<Item = (OsString, OsString)>,
        passthrough: &[String],
        configured: &[(&str, &str)],
    ) -> Vec<(String, String)> {
        child_environment(ours, passthrough, configured.iter().copied())
            .into_iter()
            .map(|(name, value)| {
                let text = |part: OsString| part.into_string().expect("the test gave UTF-8");
                (text(name), text(value))
            })
            .collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect()
    }

    #[test]
    fn only_the_named_variables_of_ours_reach_a_child() {
        let ours: Vec<(&str, &str)> = NAMES.iter().map(|name| (*name, "v")).collect();
        assert_eq!(child(&ours, &[]).len(), NAMES.len());
        let ours = [
            ("PATH", "/bin"),
            ("XDG_RUNTIME_DIR", "/run"),
            ("XDG", "no"),
            ("path", "no"),
            ("PATHEXT", "no"),
            ("OPENAI_API_KEY", "no"),
            ("HTTP_PROXY", "no"),
            ("LC_CTYPE", "no"),
        ];
        assert_eq!(
            child(&ours, &[]),
            pairs(&[("PATH", "/bin"), ("XDG_RUNTIME_DIR", "/run")])
        );
    }

    #[test]
    fn one_configured_variable_leaves_path_and_home_and_may_be_empty() {
        let ours = [
            ("PATH", "/usr/bin:/bin"),
            ("HOME", "/tmp/h"),
            ("SECRET_PARENT", "no"),
        ];
        let expected = [
            ("HOME", "/tmp/h"),
            ("MY_VAR", ""),
            ("PATH", "/usr/bin:/bin"),
        ];
        assert_eq!(child(&ours, &[("MY_VAR", "")]), pairs(&expected));
    }

    #[test]
    fn the_configuration_wins_over_ours() {
        let ours = [("PATH", "/bin"), ("HOME", "/h")];
        let expected = [("HOME", "/h"), ("PATH", "/opt/bin"), ("SECRET", "yes")];
        let configured = [("PATH", "/opt/bin"), ("SECRET", "yes")];
        assert_eq!(child(&ours, &configured), pairs(&expected));
    }

    #[test]
    fn what_is_named_is_passed_on_if_it_is_set_and_the_configuration_wins_over_it() {
        let ours = [
            ("PATH", "/bin"),
            ("A_KEY", "a"),
            ("B_KEY", "b"),
            ("A_KEY2", "no"),
        ];
        let ours = ours.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let passthrough = ["A_KEY", "B_KEY", "UNSET"].map(str::to_owned);
        let expected = [("A_KEY", "a"), ("B_KEY", "own"), ("PATH", "/bin")];
        let seen = child_with(ours.into_iter(), &passthrough, &[("B_KEY", "own")]);
        assert_eq!(seen, pairs(&expected));
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_not_utf_8_is_passed_on_and_such_a_name_is_not() {
        use std::os::unix::ffi::OsStringExt as _;
        let odd = OsString::from_vec(vec![b'/', 0xff]);
        let ours = [
            (OsString::from("HOME"), odd.clone()),
            (odd.clone(), OsString::from("x")),
        ];
        assert_eq!(
            child_environment(ours, &[], []),
            [(OsString::from("HOME"), odd)]
        );
    }
}
