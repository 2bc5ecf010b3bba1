//! Framing, decoding, encoding, configurations.

use std::time::{Duration, Instant};

use bytes::Bytes;
use hermes_registry::Config;
use mcp_jsonrpc::{
    Decoded, Envelope, ErrorCode, ErrorObject, Event, Id, Limits, Malformed, Outcome, Peer,
    RequestId, Shape, Span, Tie, Timeouts, recover_ids,
};
use mcp_transport::lines::{Line, LineDecoder};
use mcp_types::{
    CallToolResult, CreateMessageParams, Decode, DiscoverResult, ElicitParams, GetPromptResult,
    InitializeResult, ListToolsResult, ProgressParams, ReadResourceResult,
};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::Choices;

/// The longest line in the property [`lines`]: short, so that inputs reach it.
const LINE_LEN_MAX: usize = 16;
/// How deep a frame may be.
const DEPTH_MAX: usize = 128;

/// Wherever the reads were cut, the same lines come out; each is valid UTF-8 without a line end;
/// and what is buffered stays within a bound.
pub fn lines(data: &[u8]) {
    let whole = split(data, data.len().max(1));
    for len in [1, 2, 3, 7, 64] {
        assert_eq!(split(data, len), whole, "read {len} bytes at a time");
    }
    for line in &whole {
        match line {
            Line::Frame { body, .. } => {
                let text = std::str::from_utf8(body).expect("frames are UTF-8");
                assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
            }
            Line::TooLong { head, tail, len } => {
                assert!(*len > 16, "{len}");
                assert!(head.len() <= 4_096 && tail.len() <= 256);
            }
            _ => {}
        }
    }
}

fn split(data: &[u8], len: usize) -> Vec<Line> {
    let mut decoder = LineDecoder::new(LINE_LEN_MAX);
    let mut lines = Vec::new();
    for read in data.chunks(len) {
        decoder.extend(read);
        while let Some(line) = decoder.next_line() {
            lines.push(line);
        }
        // What is kept for the next line, and the room to read it into.
        let kept = decoder.read_buffer().capacity();
        assert!(
            kept <= 4 * (LINE_LEN_MAX + len) + 64 * 1024,
            "{kept} bytes are kept"
        );
    }
    lines.extend(decoder.finish());
    lines
}

/// Any frame is read without a panic; what is said to be JSON is, by another reader; and what is
/// said to be broken is.
pub fn decode(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let frame = text.as_bytes();
    let theirs = serde_json::from_str::<IgnoredAny>(&text);
    match mcp_jsonrpc::decode(frame, DEPTH_MAX) {
        Ok(decoded) => {
            check_spans(frame, &decoded);
            let is_deep = theirs
                .as_ref()
                .is_err_and(|error| error.to_string().contains("recursion"));
            assert!(theirs.is_ok() || is_deep, "taken, but {theirs:?}: {text}");
        }
        Err(Malformed::NotJson(fault)) => {
            let is_deep = fault.to_string().contains("deep");
            assert!(
                theirs.is_err() || is_deep,
                "{fault}, but another reader takes it: {text}"
            );
        }
        Err(_other) => assert!(theirs.is_ok(), "JSON for us, but {theirs:?}: {text}"),
    }
    for whole in [true, false] {
        assert!(recover_ids(frame, whole).len() <= 4);
    }
    feed(frame);
}

fn check_spans(frame: &[u8], decoded: &Decoded<'_>) {
    let check = |span: Span| {
        let part = std::str::from_utf8(span.of(frame)).expect("a part of UTF-8 is UTF-8");
        let read = serde_json::from_str::<&RawValue>(part);
        assert!(read.is_ok(), "{read:?}: {part}");
    };
    match decoded {
        Decoded::Batch(spans) => spans.iter().copied().for_each(check),
        Decoded::One(Envelope { shape, .. }) => match shape {
            Shape::Answer { result } => check(*result),
            Shape::Failure { error } => check(*error),
            Shape::Ask { params, .. } | Shape::Notice { params, .. } => {
                params.iter().copied().for_each(check);
            }
            _ => {}
        },
        _ => {}
    }
}

/// Gives the frame to a peer with calls in flight; whatever is called an answer must be JSON once
/// it is checked.
fn feed(frame: &[u8]) {
    let second = mcp_jsonrpc::CallId::new(2);
    for tie in [Tie::None, Tie::Reply(second), Tie::Stream(second)] {
        let (mut peer, mut settled) = (Peer::new(Limits::default()), 0);
        let timeouts = Timeouts::new(Duration::from_secs(1), Duration::from_secs(1));
        for number in 0..3 {
            assert!(
                peer.call(start(), timeouts, number, "m", |_call, _out| ())
                    .is_ok()
            );
        }
        while peer.poll_transmit().is_some() {}
        peer.handle_frame(Bytes::copy_from_slice(frame), tie);
        while let Some(event) = peer.poll_event() {
            if let Event::Settled { outcome, .. } = event {
                settled += 1;
                if let Outcome::Answered(answer) = outcome
                    && let Ok(answer) = answer.recheck()
                {
                    let result = answer.result();
                    assert!(
                        serde_json::from_slice::<&RawValue>(&result).is_ok(),
                        "{result:?}"
                    );
                }
            }
        }
        assert_eq!(peer.in_flight() + settled, 3);
    }
}

/// A fixed point in time.
pub(super) fn start() -> Instant {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    #[expect(
        clippy::disallowed_methods,
        reason = "one fixed point, from which time is counted"
    )]
    *START.get_or_init(Instant::now)
}

/// What the peer writes is read as what was meant, whatever stands in it, and is one line.
pub fn encode_decode(data: &[u8]) {
    let mut choices = Choices(data);
    let (method, text, message) = (choices.text(), choices.text(), choices.text());
    let value = serde_json::to_string(&text).expect("a text is JSON");
    let params = format!("{{\n\"t\": {value},\r\n\"n\":123456789012345678901234567890}}");
    let mut peer: Peer<()> = Peer::new(Limits::default());
    let write = |out: &mut Vec<u8>| out.extend_from_slice(params.as_bytes());
    let timeouts = Timeouts::new(Duration::from_secs(1), Duration::from_secs(1));
    let call = peer
        .call(start(), timeouts, (), &method, |_call, out| write(out))
        .ok();
    let call = call.expect("there is room for one call");
    peer.notify(&method, |_out| ());
    let id = match choices.below(3) {
        0 => format!("{}", i64::from_le_bytes([choices.byte(); 8])),
        1 => format!("-{}.5e1", choices.byte()),
        _ => serde_json::to_string(&choices.text()).expect("a text is JSON"),
    };
    for number in 0..2 {
        let ask = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ask"}}"#);
        peer.handle_frame(ask.into(), Tie::None);
        let Some(Event::Asked { id: asked, .. }) = peer.poll_event() else {
            unreachable!("a request asks: {id}")
        };
        if number == 0 {
            assert!(peer.respond(&asked, write));
        } else {
            assert!(peer.refuse(&asked, &ErrorObject::new(ErrorCode(-7), &message)));
        }
    }
    let mut sent = Vec::new();
    while let Some(transmit) = peer.poll_transmit() {
        assert!(!transmit.body.contains(&b'\n') && !transmit.body.contains(&b'\r'));
        sent.push(Bytes::copy_from_slice(transmit.body));
    }
    let [request, notice, answer, failure] = sent.as_slice() else {
        unreachable!("four messages were sent, not {}", sent.len())
    };
    let number = i64::try_from(call.number()).expect("the first id is small");
    let same = params.replace(['\n', '\r'], " ");
    expect(
        request,
        &Id::Given(RequestId::Number(number)),
        &format!("ask {method} {same}"),
    );
    expect(notice, &Id::Absent, &format!("notice {method} "));
    let echoed = read(answer).id;
    assert!(answer.windows(id.len()).any(|part| part == id.as_bytes()) || id.starts_with('"'));
    expect(answer, &echoed, &format!("answer {same}"));
    let error = serde_json::to_string(&message).expect("a text is JSON");
    expect(
        failure,
        &echoed,
        &format!(r#"failure {{"code":-7,"message":{error}}}"#),
    );
}

fn read(frame: &Bytes) -> Envelope<'_> {
    match mcp_jsonrpc::decode(frame, DEPTH_MAX) {
        Ok(Decoded::One(envelope)) => envelope,
        other => unreachable!("we wrote {frame:?}, which is {other:?}"),
    }
}

fn expect(frame: &Bytes, id: &Id, shape: &str) {
    let envelope = read(frame);
    let part = |span: &Span| String::from_utf8_lossy(span.of(frame)).into_owned();
    let parts = |span: &Option<Span>| span.as_ref().map(part).unwrap_or_default();
    let found = match &envelope.shape {
        Shape::Answer { result } => format!("answer {}", part(result)),
        Shape::Ask { method, params } => format!("ask {method} {}", parts(params)),
        Shape::Failure { error } => format!("failure {}", part(error)),
        Shape::Notice { method, params } => format!("notice {method} {}", parts(params)),
        other => format!("{other:?}"),
    };
    assert_eq!((&envelope.id, found.as_str()), (id, shape));
    assert!(envelope.is_version_right && !envelope.has_duplicate);
}

/// Any text is read as any type without a panic, and with a bounded number of diagnostics.
pub fn typed(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    fn one<T: Decode>(text: &str) {
        if let Ok(decoded) = T::decode(text) {
            assert!(decoded.diagnostics.len() <= mcp_types::Diagnostic::MAX + 1);
        }
    }
    one::<CallToolResult>(&text);
    one::<ListToolsResult>(&text);
    one::<InitializeResult>(&text);
    one::<DiscoverResult>(&text);
    one::<GetPromptResult>(&text);
    one::<ReadResourceResult>(&text);
    one::<ProgressParams>(&text);
    one::<CreateMessageParams>(&text);
    one::<ElicitParams>(&text);
}

/// Any file is read as a configuration without a panic, and each problem has a place in it.
pub fn config(data: &[u8]) {
    let vars = |name: &str| (name.len() < 3).then(|| name.to_lowercase());
    if let Ok(loaded) = Config::parse_bytes(data, "config.yaml", &vars) {
        // A carriage return on its own ends a line of YAML too.
        let lines = data.split(|byte| matches!(byte, b'\n' | b'\r')).count();
        for problem in &loaded.problems {
            let position = problem.position();
            assert!(
                position.line >= 1 && position.line <= lines + 1,
                "{problem}"
            );
        }
        assert!(loaded.config.servers().len() <= data.len());
    }
}
