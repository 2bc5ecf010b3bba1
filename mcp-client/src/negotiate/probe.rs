//! The decisions of negotiation, without I/O.
//!
//! ```text
//!   server/discover ──► DiscoverResult ──► best common revision modern ──► Modern
//!        │                              └─ only legacy ones in common ───► Legacy
//!        │                              └─ none ─────────────────────────► Incompatible
//!        ├─► -32022 with versions ──► ask once more at a common one, or as above
//!        ├─► -32021, -32020 ────────► modern: ask once more, then Incompatible
//!        ├─► any other error, any other result, silence ─────────────────► Legacy
//!        └─► the server went away ──► start it again, straight to Legacy
//! ```
//!
//! Spec: section "versioning" of 2026-07-28, and N-01 to N-12. Nothing but positive modern
//! evidence counts as modern, and the fallback hangs on no single error code (N-03).

use mcp_jsonrpc::{ErrorCode, ErrorObject};
use mcp_types::{Decode as _, DiscoverResult, InitializeResult, UnsupportedVersionData, Version};

use crate::error::Incompatible;

/// Codes by which only modern servers answer.
const UNSUPPORTED_VERSION: ErrorCode = ErrorCode(-32_022);
const MISSING_CAPABILITY: ErrorCode = ErrorCode(-32_021);
const HEADER_MISMATCH: ErrorCode = ErrorCode(-32_020);

/// What came of asking `server/discover`.
pub(super) enum ProbeAnswer {
    /// A result that is one.
    Discovered(Box<DiscoverResult>),
    /// The server went away instead of answering.
    Gone,
    /// A result of another shape, or a frame that could not be read.
    OtherShape,
    /// An error.
    Refused(ErrorObject),
    /// Nothing, for as long as the probe may take.
    Silence,
}

/// What to do next.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// Ask `server/discover` again, at this revision.
    Ask(Version),
    /// No session is possible.
    Fail(Box<Incompatible>),
    /// Open with `initialize`, at this revision.
    Initialize(Version),
    /// The server is modern; no more is needed.
    Modern(Version, Box<DiscoverResult>),
    /// Start the server again and open with `initialize`.
    Respawn,
}

/// What the probe has been through.
#[derive(Debug)]
pub(super) struct Probe {
    asked_again: bool,
}

impl Probe {
    pub(super) fn new() -> Self {
        Self { asked_again: false }
    }

    /// Decides by the answer to a probe.
    pub(super) fn decide(&mut self, asked: &Version, answer: ProbeAnswer) -> Step {
        match answer {
            ProbeAnswer::Discovered(discovered) => {
                let theirs = discovered.supported_versions.clone();
                match (best(&theirs, true), best(&theirs, false)) {
                    (Some(version), _) => Step::Modern(version, discovered),
                    (None, Some(version)) => Step::Initialize(version),
                    (None, None) => Step::Fail(Box::new(no_common_version(theirs))),
                }
            }
            ProbeAnswer::Refused(error) => self.decide_by_error(asked, error),
            ProbeAnswer::OtherShape | ProbeAnswer::Silence => {
                Step::Initialize(Version::LATEST_LEGACY)
            }
            ProbeAnswer::Gone => Step::Respawn,
        }
    }

    fn decide_by_error(&mut self, asked: &Version, error: ErrorObject) -> Step {
        let is_first = !std::mem::replace(&mut self.asked_again, true);
        match error.code {
            Some(UNSUPPORTED_VERSION) => {
                let Some(theirs) = supported_versions(&error) else {
                    return Step::Initialize(Version::LATEST_LEGACY);
                };
                match (best(&theirs, true), best(&theirs, false)) {
                    // Spec: T-54. Even the revision just refused deserves one more try.
                    (Some(version), _) if is_first => Step::Ask(version),
                    (None, Some(version)) => Step::Initialize(version),
                    _ => Step::Fail(Box::new(no_common_version(theirs))),
                }
            }
            Some(MISSING_CAPABILITY | HEADER_MISMATCH) if is_first => Step::Ask(asked.clone()),
            Some(MISSING_CAPABILITY | HEADER_MISMATCH) => {
                Step::Fail(Box::new(Incompatible::Refused(error)))
            }
            _ => Step::Initialize(Version::LATEST_LEGACY),
        }
    }
}

/// What came of `initialize`.
#[derive(Debug, PartialEq)]
pub(super) enum Handshake {
    /// The session is open at this revision.
    Open(Version),
    /// Ask `server/discover` once more: the server is modern after all (T-55).
    Probe(Version),
    /// Say `initialize` once more, at this revision.
    Again(Version),
    /// No session is possible.
    Fail(Box<Incompatible>),
}

/// Decides by a result of `initialize` (LIFE-05).
pub(super) fn decide_initialized(result: &InitializeResult) -> Handshake {
    let version = &result.protocol_version;
    if version.is_known() && !version.is_modern() {
        Handshake::Open(version.clone())
    } else {
        Handshake::Fail(Box::new(no_common_version(vec![version.clone()])))
    }
}

/// Decides by an error answer to `initialize`; `None` if the error says nothing about revisions.
pub(super) fn decide_not_initialized(error: &ErrorObject, asked: &Version) -> Option<Handshake> {
    let theirs = supported_versions(error)?;
    // A -32022 comes from a server that the probe made modern; the legacy error with the same
    // data is -32602 (section 2.4).
    let is_modern_error = error.code == Some(UNSUPPORTED_VERSION);
    Some(match (best(&theirs, true), best(&theirs, false)) {
        (Some(version), _) if is_modern_error => Handshake::Probe(version),
        (_, Some(version)) if version != *asked => Handshake::Again(version),
        (Some(version), None) => Handshake::Probe(version),
        _ => Handshake::Fail(Box::new(no_common_version(theirs))),
    })
}

fn supported_versions(error: &ErrorObject) -> Option<Vec<Version>> {
    let data = UnsupportedVersionData::decode(error.data.as_ref()?.get()).ok()?;
    (!data.value.supported.is_empty()).then_some(data.value.supported)
}

/// The newest revision of one era that both sides speak.
fn best(theirs: &[Version], modern: bool) -> Option<Version> {
    Version::KNOWN
        .iter()
        .rev()
        .find(|version| version.is_modern() == modern && theirs.contains(version))
        .cloned()
}

fn no_common_version(theirs: Vec<Version>) -> Incompatible {
    Incompatible::Version {
        ours: Version::KNOWN.to_vec(),
        theirs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: i64, data: Option<&str>) -> ErrorObject {
        let error = ErrorObject::new(ErrorCode(code), "no");
        match data {
            Some(data) => error.with_data(serde_json::from_str(data).unwrap()),
            None => error,
        }
    }

    fn discovered(versions: &[&str]) -> ProbeAnswer {
        let versions = serde_json::to_string(versions).unwrap();
        let json = format!(r#"{{"supportedVersions":{versions},"capabilities":{{}}}}"#);
        ProbeAnswer::Discovered(Box::new(DiscoverResult::decode(&json).unwrap().value))
    }

    fn show(step: &Step) -> String {
        match step {
            Step::Ask(version) => format!("ask {version}"),
            Step::Fail(why) => format!("fail: {why}"),
            Step::Initialize(version) => format!("initialize {version}"),
            Step::Modern(version, _) => format!("modern {version}"),
            Step::Respawn => "respawn".to_owned(),
        }
    }

    #[test]
    fn only_positive_modern_evidence_counts_as_modern() {
        let both = r#"{"supported":["2026-07-28","2025-11-25"],"requested":"x"}"#;
        let legacy = r#"{"supported":["2025-06-18"],"requested":"x"}"#;
        let table: Vec<(ProbeAnswer, &str)> = vec![
            (
                discovered(&["2026-07-28", "2025-11-25"]),
                "modern 2026-07-28",
            ),
            (
                discovered(&["2025-03-26", "2025-06-18"]),
                "initialize 2025-06-18",
            ),
            (
                ProbeAnswer::Refused(error(-32_022, Some(both))),
                "ask 2026-07-28",
            ),
            (
                ProbeAnswer::Refused(error(-32_022, Some(legacy))),
                "initialize 2025-06-18",
            ),
            (
                ProbeAnswer::Refused(error(-32_022, None)),
                "initialize 2025-11-25",
            ),
            (ProbeAnswer::Refused(error(-32_021, None)), "ask 2026-07-28"),
            (ProbeAnswer::Refused(error(-32_020, None)), "ask 2026-07-28"),
            (
                ProbeAnswer::Refused(error(-32_601, None)),
                "initialize 2025-11-25",
            ),
            (
                ProbeAnswer::Refused(error(-32_602, None)),
                "initialize 2025-11-25",
            ),
            (
                ProbeAnswer::Refused(error(-32_000, None)),
                "initialize 2025-11-25",
            ),
            (
                ProbeAnswer::Refused(error(0, None)),
                "initialize 2025-11-25",
            ),
            (ProbeAnswer::OtherShape, "initialize 2025-11-25"),
            (ProbeAnswer::Silence, "initialize 2025-11-25"),
            (ProbeAnswer::Gone, "respawn"),
        ];
        for (answer, expected) in table {
            assert_eq!(
                show(&Probe::new().decide(&Version::LATEST, answer)),
                expected
            );
        }
        let none = Probe::new().decide(&Version::LATEST, discovered(&["2030-01-01"]));
        assert!(
            show(&none)
                .starts_with("fail: no protocol revision in common: the server speaks 2030-01-01")
        );
    }

    #[test]
    fn a_modern_refusal_is_answered_by_one_more_try() {
        let again = r#"{"supported":["2026-07-28"],"requested":"2026-07-28"}"#;
        for code in [-32_022, -32_021, -32_020] {
            let mut probe = Probe::new();
            let refused = || ProbeAnswer::Refused(error(code, Some(again)));
            assert_eq!(
                show(&probe.decide(&Version::LATEST, refused())),
                "ask 2026-07-28"
            );
            assert!(show(&probe.decide(&Version::LATEST, refused())).starts_with("fail"));
        }
    }

    #[test]
    fn initialize_is_open_at_known_legacy_revisions_only() {
        let result = |version: &str| {
            let json = format!(
                r#"{{"protocolVersion":"{version}","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}"#
            );
            InitializeResult::decode(&json).unwrap().value
        };
        for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            assert!(
                matches!(decide_initialized(&result(version)), Handshake::Open(_)),
                "{version}"
            );
        }
        for version in ["2026-07-28", "1999-01-01", ""] {
            assert!(
                matches!(decide_initialized(&result(version)), Handshake::Fail(_)),
                "{version}"
            );
        }
    }

    #[test]
    fn an_error_to_initialize_may_name_what_to_do() {
        let supported = |versions: &str| format!(r#"{{"supported":{versions},"requested":"x"}}"#);
        let asked = Version::LATEST_LEGACY;
        let decide = |code, versions: &str| {
            decide_not_initialized(&error(code, Some(&supported(versions))), &asked)
        };
        assert_eq!(
            decide(-32_022, r#"["2026-07-28"]"#),
            Some(Handshake::Probe(Version::V2026_07_28))
        );
        assert_eq!(
            decide(-32_602, r#"["2024-11-05"]"#),
            Some(Handshake::Again(Version::V2024_11_05))
        );
        assert!(matches!(
            decide(-32_602, r#"["1999"]"#),
            Some(Handshake::Fail(_))
        ));
        assert_eq!(decide_not_initialized(&error(-32_600, None), &asked), None);
    }
}
