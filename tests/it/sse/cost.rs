//! What the decoder of event streams holds and how long it takes, whatever a server sends.

use allocation_counter::measure;
use bytes::Bytes;
use mcp_transport::sse::{SseDecoder, SseError};

const EVENT_LEN_MAX: usize = 64 * 1024;
const CHUNK_LEN: usize = 4 * 1024;
/// Names and ids, each a few times 8 KiB.
const FIELDS_LEN_MAX: usize = 96 * 1024;

/// Decodes a beginning and then the same bytes again and again, in chunks of one length.
fn decode(begin: &str, again: &str, chunk_len: usize, chunks: usize) -> Result<usize, SseError> {
    let period = again.len();
    let again = Bytes::from(again.repeat(chunk_len / period + 2));
    let mut decoder = SseDecoder::new(EVENT_LEN_MAX);
    let mut events = 0;
    decoder.push(Bytes::copy_from_slice(begin.as_bytes()));
    for number in 0..chunks {
        while decoder.next_event()?.is_some() {
            events += 1;
        }
        let start = number * chunk_len % period;
        decoder.push(again.slice(start..start + chunk_len));
    }
    while decoder.next_event()?.is_some() {
        events += 1;
    }
    Ok(events)
}

/// Endless streams: how they begin, what follows for ever, and whether that is allowed.
const ENDLESS: [(&str, &str, bool); 12] = [
    ("data: ", "x", false),
    ("data: x\n", "data:y\n", false),
    ("data: x\n", "data\n", false),
    ("data: x\n", ": comment\n", true),
    (":", "comment", false),
    ("unknown: ", "x", false),
    ("event: ", "n", false),
    ("id: ", "i", false),
    ("retry: ", "1", false),
    ("data: x\n", "id: abc\nevent: abc\nretry: 5\n", true),
    ("", "id: abc\ndata\n\n", true),
    ("", "\r\n", true),
];

#[test]
fn an_endless_stream_is_given_up_or_costs_nothing() {
    for (begin, again, is_allowed) in ENDLESS {
        for chunk_len in [7, CHUNK_LEN] {
            let chunks = 8 * EVENT_LEN_MAX / chunk_len;
            let mut end = Ok(0);
            let cost = measure(|| end = decode(begin, again, chunk_len, chunks));
            assert_eq!(end.is_ok(), is_allowed, "{begin:?} {again:?}: {end:?}");
            // The data, once more while it grows, and what this test itself holds.
            let limit = 2 * EVENT_LEN_MAX + FIELDS_LEN_MAX + CHUNK_LEN + 4_096;
            let held = usize::try_from(cost.bytes_max).unwrap();
            assert!(held <= limit, "{begin:?} {again:?}: {held} bytes");
        }
    }
}

/// How many bytes are allocated tells whether anything is copied again and again.
#[test]
fn many_small_parts_are_copied_a_few_times_only() {
    const LEN: usize = EVENT_LEN_MAX - 2;
    for (begin, again, chunk_len) in [
        // A long line, byte by byte; and short lines, each a part of one event.
        ("data: ", "x", 1),
        ("data: x\n", "data:\n", 6),
        ("data: x\n", "data:\n", 6 * LEN),
        ("data: x\n", "data:\n", 5),
    ] {
        let mut end = Ok(0);
        let len = if again == "x" { LEN } else { 6 * LEN };
        let cost = measure(|| end = decode(begin, again, chunk_len, len / chunk_len));
        assert_eq!(end, Ok(0), "{again:?} by {chunk_len}");
        let allocated = usize::try_from(cost.bytes_total).unwrap();
        // The doubling buffer, and what this test itself makes of the parts.
        let limit = 3 * EVENT_LEN_MAX + 2 * (chunk_len + 64);
        assert!(
            allocated <= limit,
            "{again:?} by {chunk_len}: {allocated} bytes"
        );
    }
}

#[test]
fn an_event_within_a_chunk_is_not_copied() {
    let stream = "event: message\ndata: {\"jsonrpc\":\"2.0\"}\n\n".repeat(100);
    let stream = Bytes::from(stream);
    let mut decoder = SseDecoder::new(EVENT_LEN_MAX);
    decoder.push(stream);
    let mut count = 0;
    let cost = measure(|| {
        while let Ok(Some(_event)) = decoder.next_event() {
            count += 1;
        }
    });
    assert_eq!(count, 100);
    // One allocation at most, by which slices of the chunk are counted.
    assert!(cost.count_total <= 1, "{cost:?}");
}
