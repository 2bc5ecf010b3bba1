//! Phrases with which texts of servers try to steer a model.
//!
//! The patterns see text in lower case (of ASCII) without invisible characters, and take linear
//! time whatever the text is.

use std::sync::LazyLock;

use regex::Regex;

/// One kind of phrase.
pub(super) struct Rule {
    /// A word for programs; it never changes.
    pub(super) name: &'static str,
    /// What such a text may be after.
    pub(super) about: &'static str,
    pub(super) regex: Regex,
}

pub(super) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    SOURCES
        .into_iter()
        .map(|(name, about, source)| Rule {
            name,
            about,
            regex: Regex::new(source).expect("the patterns are constant and tested"),
        })
        .collect()
});

const SOURCES: [(&str, &str, &str); 17] = [
    (
        "ignore_instructions",
        "sets aside what the model was told",
        r"\b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|of|the|your|my|these|those)\s+){0,3}(?:previous|prior|above|earlier|preceding|existing|system)\s+(?:instructions?|prompts?|messages?|rules?|guidelines?|context)\b",
    ),
    (
        "new_identity",
        "gives the model another role",
        r"\byou\s+are\s+now\s+(?:an?|the|in)\b|\b(?:act|behave)\s+as\s+(?:if\s+you\s+(?:are|were)|an?\s+unrestricted)\b",
    ),
    (
        "new_task",
        "gives the model another task",
        r"\byour\s+new\s+(?:task|role|goal|job|purpose|instructions?)\s+(?:is|are)\b",
    ),
    (
        "role_prefix",
        "speaks as somebody else",
        r"(?:^|\n|[.!?]\s)\s*(?:system|assistant|developer)(?:\s+(?:prompt|message|note))?\s*:",
    ),
    (
        "role_tag",
        "speaks as somebody else",
        r"</?\s*(?:system|human|user|assistant|developer|important|instructions?|secret)\s*>|<\|(?:im_start|im_end|system|user|assistant)\|>|\[/?inst\]|<</?sys>>",
    ),
    (
        "secrecy",
        "keeps something from the user",
        r"\b(?:do\s+not|don['’]t|never|must\s+not)\s+(?:tell|inform|mention|reveal|disclose|show|notify|alert)\b|\bwithout\s+(?:telling|informing|asking|notifying|alerting)\s+the\s+(?:user|human|person)\b",
    ),
    (
        "fetch_url",
        "fetches something from the network",
        r"\b(?:curl|wget|fetch)\s[^\n]{0,120}?https?://",
    ),
    (
        "decoded_code",
        "hides code in Base64",
        r"\bbase64\s*\.\s*(?:b64decode|decodebytes|decodestring)\b|\bbase64\s+(?:-d|--decode)\b|\batob\s*\(",
    ),
    (
        "code_evaluation",
        "runs code",
        r"\b(?:exec|eval)\s*\(|\bos\.system\s*\(|\bchild_process\b",
    ),
    (
        "python_import",
        "runs code",
        r"\bimport\s+(?:subprocess|os|shutil|socket)\b",
    ),
    (
        "secret_files",
        "asks for files that hold secrets",
        r"\.ssh/|\bid_(?:rsa|ed25519|ecdsa)\b|\bauthorized_keys\b|\.aws/credentials|/etc/(?:passwd|shadow)\b|(?:^|[\s/'\x22`(])\.(?:env|netrc|npmrc|pypirc)\b|\.(?:cursor|vscode)/mcp\.json|\bclaude_desktop_config\.json\b",
    ),
    (
        "conversation_theft",
        "asks for what was said to the model",
        r"\b(?:reveal|repeat|print|output|include|pass|send|share|append|copy)\s[^.\n]{0,60}\b(?:system\s+prompt|(?:conversation|chat)\s+history|(?:entire|full|whole)\s+(?:conversation|chat)|previous\s+messages)\b",
    ),
    (
        "exfiltration",
        "sends data away",
        r"\b(?:send|post|upload|forward|transmit|exfiltrate|leak)\s[^.\n]{0,80}\bto\s[^.\n]{0,40}(?:https?://|[a-z0-9._%+-]+@[a-z0-9-]+\.)",
    ),
    (
        "other_tools",
        "changes how other tools are used",
        r"\b(?:before|after|instead\s+of|when(?:ever)?)\s+(?:you\s+)?(?:using|calling|invoking|use|call|invoke)\s+(?:any|every|all|each)\s+(?:of\s+the\s+)?(?:other\s+)?tools?\b",
    ),
    (
        "hidden_comment",
        "has text that is not shown where it is rendered",
        r"<!--",
    ),
    (
        "remote_image",
        "has a picture that tells its host when it is shown",
        r"!\[[^\]\n]{0,200}\]\(\s*https?://",
    ),
    (
        "data_url",
        "has a page or a script inside a link",
        r"\bdata:(?:text/html|application/(?:x-)?javascript)\b|\bjavascript:",
    ),
];
