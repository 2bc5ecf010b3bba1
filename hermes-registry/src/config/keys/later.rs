//! The keys of features that are still to come: checked for their type, and told of.

use std::time::Duration;

use super::super::range::{Count, Seconds};
use super::super::server::TIMEOUT_MAX;
use super::{Key, Keys, Shape};

/// A count that only its type bounds until there is a feature that has a reason for more.
const ANY_FROM_ONE: Count = Count::between(1, u32::MAX);

const WAIT: Seconds = Seconds::between(Duration::from_secs(1), TIMEOUT_MAX);

/// What `naming` may be.
pub(super) const NAMINGS: [&str; 2] = ["underscore", "double_underscore"];

/// Under `sampling`.
pub(super) const SAMPLING: Keys = Keys {
    rows: &[
        Key::new("enabled", Shape::Switch, "Whether the server may ask.").or("true"),
        Key::new(
            "model",
            Shape::Text,
            "The model that answers, in place of the one that the server would like.",
        ),
        Key::new(
            "max_tokens_cap",
            Shape::Count(ANY_FROM_ONE),
            "The most tokens of one answer.",
        )
        .or("4096"),
        Key::new(
            "timeout",
            Shape::Seconds(WAIT),
            "How long one answer may take.",
        )
        .or("30"),
        Key::new(
            "max_rpm",
            Shape::Count(ANY_FROM_ONE),
            "The most questions in a minute.",
        )
        .or("10"),
        Key::new(
            "max_tool_rounds",
            Shape::Count(Count::between(0, u32::MAX)),
            "The most rounds of tools within one question; 0 for no tools.",
        )
        .or("5"),
        Key::new(
            "allowed_models",
            Shape::Texts,
            "The models that the server may ask for; any if the list is empty.",
        )
        .or("[]"),
        Key::new(
            "log_level",
            Shape::Words(&["debug", "info", "warning"]),
            "How loud each question is told in our log.",
        )
        .or("\"info\""),
        Key::new(
            "expose_client_tools",
            Shape::Switch,
            "Whether the server is told that it may send tools along.",
        )
        .or("false"),
    ],
    foreign: &[("max_tokens", "max_tokens_cap")],
};

/// Under `elicitation`.
pub(super) const ELICITATION: Keys = Keys {
    rows: &[
        Key::new("enabled", Shape::Switch, "Whether the server may ask.").or("true"),
        Key::new(
            "timeout",
            Shape::Seconds(WAIT),
            "How long a person may take.",
        )
        .or("300"),
    ],
    foreign: &[],
};

/// Under `oauth`.
pub(super) const OAUTH: Keys = Keys {
    rows: &[
        Key::new(
            "client_id",
            Shape::Text,
            "Who we are, if the server knows us already.",
        ),
        Key::new(
            "client_secret",
            Shape::Text,
            "The secret that belongs to it.",
        ),
        Key::new(
            "scope",
            Shape::Text,
            "What is asked for, words with spaces between.",
        ),
        Key::new(
            "redirect_port",
            Shape::Count(Count::between(1, 65_535)),
            "The port on which the browser comes back to us.",
        ),
        Key::new(
            "redirect_uri",
            Shape::Text,
            "Where the browser comes back to us.",
        ),
        Key::new("redirect_host", Shape::Text, "The host of that address."),
        Key::new(
            "client_name",
            Shape::Text,
            "What we are called where people are asked.",
        ),
        Key::new(
            "client_metadata_url",
            Shape::Text,
            "The address of a document that describes us, as our id.",
        ),
        Key::new("cimd", Shape::Switch, "Whether such a document is used.").or("true"),
        Key::new(
            "user_agent",
            Shape::Text,
            "Who asks for tokens, in a header.",
        ),
        Key::new(
            "timeout",
            Shape::Seconds(WAIT),
            "How long a login may take.",
        )
        .or("300"),
        Key::new(
            "token_endpoint_auth_method",
            Shape::Words(&[
                "none",
                "client_secret_basic",
                "client_secret_post",
                "client_secret_jwt",
                "private_key_jwt",
            ]),
            "How the secret is shown.",
        ),
        Key::new(
            "application_type",
            Shape::Words(&["native", "web"]),
            "What we register as.",
        )
        .or("\"native\""),
        Key::new(
            "flow",
            Shape::Words(&["browser", "device"]),
            "Whether a browser of this machine is used, or a code on another device.",
        )
        .or("\"browser\""),
    ],
    foreign: &[("scopes", "scope")],
};
