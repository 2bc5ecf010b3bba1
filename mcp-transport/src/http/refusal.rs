//! What a refusal says: its body read as far as it matters, and shown as the end of a sentence.

use std::borrow::Cow;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::Response;
use http_body_util::BodyExt as _;
use tokio::time::{Instant, timeout_at};

use super::Body;
use crate::redact::Redactor;

/// Bytes that are read of a body that is no message.
const EXCERPT_MAX: usize = 8 * 1024;
/// How long a body that is no message is waited for.
// Bound: the status is known, and words about it are not worth the time of a call.
const EXCERPT_WAIT: Duration = Duration::from_secs(1);
/// Bytes that an error shows.
const SHOWN_MAX: usize = 200;

/// Reads the beginning of a body; to its end if it is short, which keeps the connection.
pub(super) async fn read_excerpt(response: Response<Body>) -> Bytes {
    read(response, None).await
}

/// Reads what a refusal says: a message of at most `message_len_max` bytes and one more, or the
/// beginning of anything else.
pub(super) async fn read_refusal(response: Response<Body>, message_len_max: usize) -> Bytes {
    read(response, Some(message_len_max)).await
}

/// Whether a body is a message, whatever its content type says. Spec: T-34, N-14.
pub(super) fn is_message(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Reads until the body ends or breaks off, is as long as allowed, or the time is over; a message,
/// if one is wanted, may take as long as its call.
async fn read(response: Response<Body>, message_len_max: Option<usize>) -> Bytes {
    let mut body = response.into_body();
    let mut read = BytesMut::new();
    let until = Instant::now() + EXCERPT_WAIT;
    loop {
        let message_len_max = message_len_max.filter(|_| is_message(&read));
        let len_max = message_len_max.map_or(EXCERPT_MAX, |len_max| len_max.saturating_add(1));
        if read.len() >= len_max {
            read.truncate(len_max);
            return read.freeze();
        }
        let next = match message_len_max {
            Some(_) => body.frame().await,
            None => timeout_at(until, body.frame()).await.unwrap_or_default(),
        };
        // What came before the body broke off, and the status, have to do.
        let Some(Ok(frame)) = next else {
            return read.freeze();
        };
        if let Ok(data) = frame.into_data() {
            read.extend_from_slice(&data);
        }
    }
}

/// What a body says, as the end of a sentence; empty if it says nothing.
pub(super) fn shown(redactor: &Redactor, body: &[u8]) -> String {
    // Credentials are looked for before anything is cut or left out, since half of one is not
    // recognised.
    let text = if body.len() < EXCERPT_MAX {
        let text = String::from_utf8_lossy(body);
        redactor.redact(&text).into_owned()
    } else {
        // The body may go on, and with it a credential at its end.
        let len_max = EXCERPT_MAX.saturating_sub(redactor.secret_len_max());
        redactor.redact_bytes_lossy(body, len_max)
    };
    let words = without_markup(&text);
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = redactor.redact_bytes_lossy(line.as_bytes(), SHOWN_MAX);
    if line.is_empty() {
        line
    } else {
        format!(": {line}")
    }
}

/// The words of a page, since its markup says nothing to a person; any other text as it is.
fn without_markup(text: &str) -> Cow<'_, str> {
    if !text.trim_start().starts_with('<') {
        return Cow::Borrowed(text);
    }
    let mut words = String::new();
    let mut is_tag = false;
    for char in text.chars() {
        match char {
            '<' => is_tag = true,
            '>' if is_tag => {
                is_tag = false;
                words.push(' ');
            }
            _ if !is_tag => words.push(char),
            _ => {}
        }
    }
    Cow::Owned(words)
}

#[cfg(test)]
mod tests {
    use http_body_util::StreamBody;

    use super::*;

    const SECRET: &str = "correct-horse-battery-staple";

    fn redactor() -> Redactor {
        Redactor::new().with_secrets([SECRET.to_owned()])
    }

    /// A response whose body comes in these pieces and never ends.
    fn unending(pieces: &[&[u8]]) -> Response<Body> {
        use futures_util::StreamExt as _;
        let frames: Vec<_> = pieces
            .iter()
            .map(|piece| Ok(http_body::Frame::data(Bytes::copy_from_slice(piece))))
            .collect();
        let frames = futures_util::stream::iter(frames).chain(futures_util::stream::pending());
        Response::new(Body::new(StreamBody::new(frames)))
    }

    #[test]
    fn of_a_page_its_words_are_shown_and_of_a_text_all_of_it() {
        let page =
            "<!DOCTYPE html>\n<html><title>Error</title><body><pre>Cannot POST /x</pre></body>";
        for (body, wanted) in [
            (page, ": Error Cannot POST /x"),
            ("busy\n  a < b", ": busy a < b"),
            ("<unclosed", ""),
            ("", ""),
        ] {
            assert_eq!(shown(&redactor(), body.as_bytes()), wanted);
        }
    }

    #[test]
    fn a_credential_is_hidden_wherever_the_text_is_cut() {
        for before in SHOWN_MAX - SECRET.len()..=SHOWN_MAX {
            for open in ["", "<p>"] {
                let body = format!("{open}{}{SECRET} and more", "x".repeat(before));
                let shown = shown(&redactor(), body.as_bytes());
                assert!(!shown.contains("corr"), "{before}: {shown}");
                assert!(shown.len() < SHOWN_MAX + 40, "{shown}");
            }
        }
    }

    #[test]
    fn a_credential_that_the_end_of_what_was_read_cuts_is_not_shown_by_half() {
        let mut page = b"<p>sorry</p><style>".to_vec();
        page.resize(EXCERPT_MAX - 20, b' ');
        page.extend_from_slice(b"</style>");
        page.extend_from_slice(SECRET.as_bytes());
        page.truncate(EXCERPT_MAX);
        assert!(page.ends_with(b"correct-hors"));
        let shown = shown(&redactor(), &page);
        assert!(shown.starts_with(": sorry"), "{shown}");
        assert!(!shown.contains("corr"), "{shown}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_that_does_not_end_is_shown_as_far_as_it_came() {
        let said = read_refusal(unending(&[b"too ", b"busy"]), 100).await;
        assert_eq!(said, "too busy");
        let long = vec![b'x'; 5000];
        let said = read_excerpt(unending(&[&long, &long])).await;
        assert_eq!(said.len(), EXCERPT_MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_may_be_as_long_as_any_other() {
        let message = [b" {", &vec![b'x'; EXCERPT_MAX][..]].concat();
        let pieces: [&[u8]; 2] = [&message, b"}"];
        let said = read_refusal(unending(&pieces), message.len()).await;
        assert_eq!(said.len(), message.len() + 1);
        let said = read_refusal(unending(&pieces), message.len() - 1).await;
        assert_eq!(
            said.len(),
            message.len(),
            "one byte more than allowed shows that it is cut"
        );
    }
}
