//! What looks like a credential.
//!
//! Each pattern hides a *value*: the groups named `a` to `e`, of which one takes part in a match, or
//! the whole match if there are none. Names and prefixes are matched in any case.
//!
//! Interop: the Python agent hides `ghp_…`, `sk-…`, `Bearer …` and five names before `=`. All of
//! these are hidden here as well, but for ordinary words that only look like it, see [`Keep`].

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Adds up the credentials of all patterns, in no order.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for pattern in PATTERNS.iter() {
        let matches = pattern.regex.captures_iter(text);
        found.extend(matches.filter_map(|captures| pattern.value(&captures)));
    }
    found
}

struct Pattern {
    regex: Regex,
    keep: Keep,
}

/// Says of a match's name and value that it is ordinary text after all.
type Keep = fn(name: &str, value: &str) -> bool;

impl Pattern {
    fn value(&self, captures: &Captures<'_>) -> Option<Range<usize>> {
        let groups = ["a", "b", "c", "d", "e"].into_iter();
        let value = groups.filter_map(|group| captures.name(group)).next()?;
        let name = captures.name("name").map_or("", |name| name.as_str());
        (!(self.keep)(name, value.as_str())).then(|| value.range())
    }
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let sources: [(String, Keep); 11] = [
        (
            r"(?P<a>(?i-u:(?:ghp_|github_pat_)[a-z0-9_]+))".to_owned(),
            never,
        ),
        (format!("{START}(?P<a>{TOKENS})"), |_, value| {
            is_no_key(value)
        }),
        (format!("{START}(?P<a>{JWT})"), never),
        (
            format!("{START}(?i-u:bearer)(?:{GAP})(?P<a>{CREDENTIAL})"),
            |_, value| is_word(value),
        ),
        (
            format!("{START}(?i-u:basic)(?:{GAP})(?P<a>{BASE64})"),
            |_, value| !is_base64(value),
        ),
        (
            format!("(?P<name>{NAMES}){EQUALS}(?:{QUOTED}|(?P<e>{UNQUOTED}))"),
            |name, _| is_name(name),
        ),
        (
            format!(r#"\\*["'](?P<name>{NAMES}|{HEADERS})\\*["']\s*[:=]\s*(?:{QUOTED})"#),
            |name, _| is_name(name),
        ),
        (
            format!(r"{START}(?:{COMPOUND_NAMES})\s*:\s*(?:{QUOTED}|(?P<e>{UNQUOTED}))"),
            never,
        ),
        (
            format!(r"{START}(?:{HEADERS})[ \t]*[:=][ \t]*(?:{QUOTED}|(?P<e>{LINE}))"),
            never,
        ),
        (
            format!(r#"(?:^|[\s"'])--?(?:{FLAGS})[ \t]+(?:{QUOTED}|(?P<e>{ARGUMENT}))"#),
            never,
        ),
        (format!("(?:{USERINFO})|(?:{PRIVATE_KEY})"), never),
    ];
    sources
        .into_iter()
        .map(|(source, keep)| Pattern {
            regex: Regex::new(&source).expect("the patterns are constant and tested"),
            keep,
        })
        .collect()
});

fn never(_name: &str, _value: &str) -> bool {
    false
}

/// A language and a Python package that begin like a key.
fn is_no_key(value: &str) -> bool {
    ["sk-SK", "sk-learn"]
        .iter()
        .any(|other| value.eq_ignore_ascii_case(other))
}

/// Prose about bearer tokens, and the parameters of a challenge, which are public.
fn is_word(value: &str) -> bool {
    let word = value.trim_end_matches(['.', ':', ')', '!', '?']);
    let word = word.split_once('=').map_or(word, |(name, _)| name);
    BEARER_WORDS
        .iter()
        .any(|other| word.eq_ignore_ascii_case(other))
}

/// Whether it can be a user and a password in Base64, and not an English word.
fn is_base64(value: &str) -> bool {
    let mixed = value
        .bytes()
        .skip(1)
        .any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    value.ends_with('=') || (value.len().is_multiple_of(4) && mixed)
}

/// Names that end like a credential's and are none.
fn is_name(name: &str) -> bool {
    let word = name
        .rsplit(|char: char| !char.is_ascii_alphanumeric())
        .next()
        .unwrap_or(name);
    INNOCENT_NAMES
        .iter()
        .any(|other| word.eq_ignore_ascii_case(other))
}

/// A token begins where a word does, also after an escaped or percent-encoded character.
const START: &str = r"(?:(?-u:\b)|\\[nrtbf]|\\u(?-u:[0-9A-Fa-f]{4})|%(?-u:[0-9A-Fa-f]{2}))";

/// Tokens with a prefix of their issuer: GitHub, `OpenAI` and others, Slack, AWS, Google, GitLab,
/// npm, Hugging Face, Stripe.
const TOKENS: &str = r"(?x)
    (?i-u:
        gh[ousr]_[a-z0-9_]+
      | sk-[a-z0-9_\-]+(?:\.[a-z0-9_\-]+)*
      | xox[abeprs]-[a-z0-9\-]+
      | xapp-[0-9a-z\-]+
      | (?:akia|asia)[a-z0-9]{16}(?-u:\b)
      | aiza[a-z0-9_\-]{35,}
      | glpat-[a-z0-9_.\-]{10,}
      | npm_[a-z0-9]{36,}
      | hf_[a-z0-9]{30,}
      | [sr]k_(?:live|test)_[a-z0-9]{8,}
    )
  | (?:AKIA|ASIA)[A-Z0-9]{16,}";

/// A signed or encrypted token: a JSON object in Base64, then further parts.
const JWT: &str = r"(?i-u:eyj[a-z0-9_\-]{5,}\.[a-z0-9_\-]+(?:\.[a-z0-9_\-]*)*)";

/// Between a scheme and its credentials.
const GAP: &str = r"\s+|\s*:\s*|\+|%20";
const CREDENTIAL: &str = r#"(?:[^\s"'\\,;<>]|\\[^\s"'\\])+"#;
const BASE64: &str = r"(?-u:[A-Za-z0-9+/_\-]{6,}={0,2})";

/// A name that ends like a credential's, whatever it begins with.
const NAMES: &str = r"(?i-u:[a-z0-9_.\-]*(?:token|key|password|passwd|passphrase|secret))";
const EQUALS: &str = r"[ \t]*(?:=|%3[Dd])[ \t]*";
/// A value in quotes, also in quotes that are escaped because the text is itself in quotes; an
/// unclosed one reaches to the end.
const QUOTED: &str = r#""(?P<a>(?:[^"\\]|\\(?s:.))*)|'(?P<b>(?:[^'\\]|\\(?s:.))*)|\\+"(?P<c>(?:[^"\\]|\\[^"\\]|\\\\+"?)*)|\\+'(?P<d>(?:[^'\\]|\\[^'\\]|\\\\+'?)*)"#;
/// A value up to white space, a separator or a quote.
const UNQUOTED: &str = r#"(?:[^\s&,;"'\\=>]|\\[^\s"'])(?:[^\s&,;"'\\]|\\[^\s"'])*"#;

/// Names that are a credential's even before a colon and in prose.
const COMPOUND_NAMES: &str = r"(?i-u:(?:[a-z0-9.]+[_\-])*(?:api|access|auth|bearer|client|private|refresh|secret|session)[_\-]?(?:token|key|secret))";

/// Headers whose whole value is hidden.
const HEADERS: &str = r"(?i-u:(?:proxy-)?authorization|(?:set-)?cookie)";
/// A header's value: to the end of the line, or of the string it stands in.
const LINE: &str = r#"(?:="[^"\r\n]*"|[^\r\n\\"']|\\[^rn"'])+"#;

/// Options of commands whose argument is a credential.
const FLAGS: &str = r"(?i-u:(?:[a-z0-9]+-)*(?:token|api-key|apikey|password|secret))";
const ARGUMENT: &str = r#"[^\s"'\\\-<\[=][^\s"'\\]*"#;

/// What stands before the host of a URL.
const USERINFO: &str = r#"(?i-u:[a-z][a-z0-9+.\-]*):(?:\\?/){2}(?P<a>[^\s/?\#"'<>\\]+)@"#;
const PRIVATE_KEY: &str =
    r"-----BEGIN (?-u:[A-Z ]*)PRIVATE KEY-----(?P<b>(?s:.*?))(?:-----END |\z)";

const BEARER_WORDS: [&str; 16] = [
    "and",
    "auth",
    "authentication",
    "authorization",
    "credentials",
    "error",
    "header",
    "is",
    "of",
    "or",
    "realm",
    "resource_metadata",
    "scheme",
    "scope",
    "token",
    "tokens",
];

/// `progressToken` is the protocol's own.
const INNOCENT_NAMES: [&str; 9] = [
    "donkey",
    "hockey",
    "hotkey",
    "jockey",
    "lackey",
    "monkey",
    "progressToken",
    "turkey",
    "whiskey",
];
