//! Server-sent events: the decoder against the algorithm as the standard tells it.

use bytes::Bytes;
use mcp_transport::sse::{Event, RETRY_MAX, SseDecoder, SseError};

/// So short that no name and no id is too long, even if each byte of it is replaced.
const STREAM_LEN_MAX: usize = 2_048;
/// The longest event where limits are tried: short, so that inputs reach it.
const EVENT_LEN_MAX: usize = 16;

/// What a stream says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    events: Vec<SaidEvent>,
    last_event_id: String,
    retry_millis: Option<u128>,
    failure: Option<SseError>,
}

/// Name, data, id.
type SaidEvent = (String, String, String);

/// Wherever the stream is cut, the same events, id and retry time come out, as many as the
/// standard says; and with a tight limit the same ones up to the same error.
///
/// The first three bytes say how the stream, the rest, is cut.
pub fn sse(data: &[u8]) {
    let (cuts, stream) = data.split_at(data.len().min(3));
    let stream = stream.get(..STREAM_LEN_MAX).unwrap_or(stream);
    let wanted = reference(stream);
    let is_valid = std::str::from_utf8(stream).is_ok();
    let cuts: Vec<usize> = cuts.iter().map(|len| usize::from(*len).max(1)).collect();
    let tight = decode(stream, &[usize::MAX], EVENT_LEN_MAX, is_valid);
    for cuts in [&[usize::MAX][..], &[1], &[2], &[3], &[7, 1], &cuts] {
        let said = decode(stream, cuts, 3 * STREAM_LEN_MAX, is_valid);
        assert_eq!(said, wanted, "cut at {cuts:?}");
        let said = decode(stream, cuts, EVENT_LEN_MAX, is_valid);
        assert_eq!(said, tight, "cut at {cuts:?}, with a limit");
    }
    if tight.failure.is_none() {
        assert_eq!(tight, wanted);
    }
    let within = |event: &&SaidEvent| event.1.len() <= EVENT_LEN_MAX;
    let first: Vec<&SaidEvent> = wanted.events.iter().take_while(within).collect();
    let count = tight.events.len();
    assert!(
        count <= first.len(),
        "an event past the limit was handed out"
    );
    assert!(tight.events.iter().eq(first.into_iter().take(count)));
}

/// Pushes the stream in chunks, whose lengths are taken from `cuts` by turns.
fn decode(stream: &[u8], cuts: &[usize], event_len_max: usize, is_valid: bool) -> Said {
    let mut decoder = SseDecoder::new(event_len_max);
    let mut said = Said::default();
    let mut lens = cuts.iter().cycle().copied();
    let mut rest = stream;
    while !rest.is_empty() && said.failure.is_none() {
        let len = lens.next().unwrap_or(usize::MAX).min(rest.len());
        let (chunk, after) = rest.split_at(len);
        rest = after;
        decoder.push(Bytes::copy_from_slice(chunk));
        loop {
            match decoder.next_event() {
                Ok(Some(event)) => said.events.push(read(&event, is_valid)),
                Ok(None) => break,
                Err(failure) => {
                    assert_eq!(decoder.next_event(), Err(failure), "errors are final");
                    said.failure = Some(failure);
                    break;
                }
            }
        }
    }
    said.last_event_id = decoder.last_event_id().unwrap_or_default().to_owned();
    said.retry_millis = decoder.retry().map(|retry| retry.as_millis());
    said
}

fn read(event: &Event, is_valid: bool) -> SaidEvent {
    let data = std::str::from_utf8(&event.data).expect("data is UTF-8");
    assert!(!data.is_empty() && !data.contains('\r'));
    assert!(!event.is_repaired || !is_valid && data.contains('\u{fffd}'));
    let id = event.id().unwrap_or_default();
    assert!(!id.contains(['\0', '\r', '\n']));
    (event.name().to_owned(), data.to_owned(), id.to_owned())
}

/// The algorithm of the standard, step by step over the whole text; but events without data are
/// left out, and the retry time is clamped.
fn reference(stream: &[u8]) -> Said {
    let text = String::from_utf8_lossy(stream);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<&str> = text.split('\n').collect();
    // What no line end follows is no line.
    lines.pop();
    let mut said = Said::default();
    let (mut data, mut name, mut id) = (String::new(), String::new(), String::new());
    for line in lines {
        if line.is_empty() {
            said.last_event_id.clone_from(&id);
            let ended = data.strip_suffix('\n').unwrap_or_default().to_owned();
            if !ended.is_empty() {
                let name = if name.is_empty() { "message" } else { &name };
                said.events.push((name.to_owned(), ended, id.clone()));
            }
            data.clear();
            name.clear();
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => data.extend([value, "\n"]),
            "event" => value.clone_into(&mut name),
            "id" if !value.contains('\0') => value.clone_into(&mut id),
            "retry" if !value.is_empty() && value.chars().all(|c| c.is_ascii_digit()) => {
                let millis = value.parse().unwrap_or(u128::MAX);
                said.retry_millis = Some(millis.min(RETRY_MAX.as_millis()));
            }
            _ => {}
        }
    }
    said
}
