//! Streams and what they say, each at every split into up to three chunks and byte by byte.

mod limits;

use super::*;

/// What a stream says: its events as name, data and id; then the id to resume from, the retry
/// time in milliseconds, and whether it ends within an event.
type Said<'a> = (Vec<(&'a str, &'a str, &'a str)>, &'a str, u64, bool);

const LEN_MAX: usize = 4_096;

fn read(decoder: &mut SseDecoder, events: &mut Vec<Event>) {
    while let Some(event) = decoder.next_event().unwrap() {
        events.push(event);
    }
}

#[track_caller]
fn check_chunks<'a>(chunks: impl Iterator<Item = &'a [u8]>, said: &Said<'_>) {
    let mut decoder = SseDecoder::new(LEN_MAX);
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.push(Bytes::copy_from_slice(chunk));
        read(&mut decoder, &mut events);
    }
    let found: Vec<(&str, &str, &str)> = events
        .iter()
        .map(|event| {
            let data = std::str::from_utf8(&event.data).unwrap();
            (event.name(), data, event.id().unwrap_or_default())
        })
        .collect();
    let retry = decoder.retry().map_or(0, |retry| retry.as_millis());
    let id = decoder.last_event_id().unwrap_or_default();
    let found = (
        found,
        id,
        u64::try_from(retry).unwrap(),
        decoder.is_mid_event(),
    );
    assert_eq!(found, *said);
}

#[track_caller]
fn check(stream: &[u8], said: &Said<'_>) {
    check_chunks(stream.chunks(1), said);
    for cut in 0..=stream.len() {
        let (first, rest) = stream.split_at(cut);
        for second in 0..=rest.len() {
            let (second, third) = rest.split_at(second);
            check_chunks([first, second, third].into_iter(), said);
        }
    }
}

/// Messages without id, and nothing else.
fn messages<'a>(data: &[&'a str]) -> Said<'a> {
    let events = data.iter().map(|data| ("message", *data, "")).collect();
    (events, "", 0, false)
}

/// The facts that the format tests of web-platform-tests hold browsers to.
#[test]
fn streams_say_what_they_say_to_browsers() {
    let table: [(&str, &[&str]); 14] = [
        // A byte order mark counts at the very start only, and once.
        (
            "\u{feff}data:1\n\n\u{feff}data:2\n\ndata:3\n\n",
            &["1", "3"],
        ),
        (
            "\u{feff}\u{feff}data:1\n\ndata:2\n\ndata:3\n\n",
            &["2", "3"],
        ),
        // Comments, with NUL, field names and nothing in them.
        (
            "data:1\r:\0\n:\r\ndata:2\n:xxxx\rdata:3\n:data:no\r:xxxx\ndata:4\n\n",
            &["1\n2\n3\n4"],
        ),
        // A line of data may lack the colon; of these events browsers dispatch the first as well.
        ("data:\n\ndata\ndata\n\ndata:test\n\n", &["\n", "test"]),
        ("event: \ndata:data\n\n", &["data"]),
        // One space goes; names are compared as they are.
        (
            "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n",
            &["\0\n 2\n1\n3\n\n4"],
        ),
        (
            "data:test\n data\ndata\nother:x\nalone\n:comment\ndata:test\n\n",
            &["test\n\ntest"],
        ),
        ("data:\ttest\rdata: \ndata:test\n\n", &["\ttest\n\ntest"]),
        // A last line end of any kind makes a blank line.
        ("data:test\r\ndata\ndata:test\r\n\r", &["test\n\ntest"]),
        ("data:\0\n\n", &["\0"]),
        ("data:ok…\n\n", &["ok…"]),
        // Blocks that make no event; browsers dispatch the line `data` alone.
        (
            "data:msg\ndata:msg\n\n:\n\nother:msg\n\nData:x\n\ndata\n\ndata:end\n\n",
            &["msg\nmsg", "end"],
        ),
        ("retry\ndata:test\n\n", &["test"]),
        ("\n\n\r\r\n\ndata:x\n\n\n", &["x"]),
    ];
    for (stream, data) in table {
        check(stream.as_bytes(), &messages(data));
    }
}

#[test]
fn names_ids_and_retry_are_read_as_browsers_read_them() {
    let table: [(&str, Said<'_>); 9] = [
        (
            "event:test\ndata:x\n\ndata:y\n\n",
            (vec![("test", "x", ""), ("message", "y", "")], "", 0, false),
        ),
        ("event:a\n\ndata:y\n\n", messages(&["y"])),
        (
            "event:a\nevent:b\ndata:y\n\n",
            (vec![("b", "y", "")], "", 0, false),
        ),
        // An unfinished event is dropped with its id; a retry counts at once.
        (
            "retry:1000\ndata:1\n\nid:test\ndata:2",
            (vec![("message", "1", "")], "", 1000, true),
        ),
        (
            "id: …\ndata:hello\n\n",
            (vec![("message", "hello", "…")], "…", 0, false),
        ),
        // Ids persist, change and are taken back.
        (
            "id:1\ndata:a\n\ndata:b\n\nid: 2\ndata:c\n\nid\ndata:d\n\ndata:e\n\n",
            (
                vec![
                    ("message", "a", "1"),
                    ("message", "b", "1"),
                    ("message", "c", "2"),
                    ("message", "d", ""),
                    ("message", "e", ""),
                ],
                "",
                0,
                false,
            ),
        ),
        (
            "id:1\nid: \0\0\ndata:a\n\n",
            (vec![("message", "a", "1")], "1", 0, false),
        ),
        (
            "retry:03000\ndata:x\n\n",
            (vec![("message", "x", "")], "", 3000, false),
        ),
        (
            "retry:3000\nretry:1000x\ndata:x\n\n",
            (vec![("message", "x", "")], "", 3000, false),
        ),
    ];
    for (stream, said) in table {
        check(stream.as_bytes(), &said);
    }
}

#[test]
fn an_event_without_data_sets_the_id_and_is_not_handed_out() {
    let none = |id, retry| (vec![], id, retry, false);
    check(b"id: 7\ndata:\n\n", &none("7", 0));
    check(b"id: 7\ndata: \n\n", &none("7", 0));
    check(b"id: 7\n\n", &none("7", 0));
    check(b"id: 7\nretry: 10\ndata\n\nid\n\n", &none("", 10));
    // A line alone does not count until its event has ended.
    check(b"id: 7\n", &(vec![], "", 0, true));
}

#[test]
fn what_servers_do_to_streams_is_read() {
    let json = "{\"a\":\n1}";
    let table: [(&str, &[&str]); 6] = [
        ("data:{\"a\":\ndata:1}\n\n", &[json]),
        (
            "event: message\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n",
            &[json],
        ),
        ("event: message\rdata: {\"a\":\rdata: 1}\r\r", &[json]),
        (": ping\n\n: ping\r\n\r\n:\r\r", &[]),
        ("\u{feff}: ping\n\ndata: x\n\n", &["x"]),
        // U+0085 and U+2028 are no line ends.
        ("data: a\u{85}b\u{2028}c\n\n", &["a\u{85}b\u{2028}c"]),
    ];
    for (stream, data) in table {
        check(stream.as_bytes(), &messages(data));
    }
}

#[test]
fn an_event_that_no_blank_line_ends_is_dropped() {
    for stream in [
        "data: x",
        "data: x\n",
        "data: x\r\n",
        "event: a\n",
        "id",
        "\u{feff}d",
        ":",
    ] {
        check(stream.as_bytes(), &(vec![], "", 0, true));
    }
    for stream in ["", "\u{feff}", ":\n", "\r", "x\n", "retry: x\n"] {
        check(stream.as_bytes(), &(vec![], "", 0, false));
    }
}

#[test]
fn retry_is_digits_and_clamped() {
    let clamped = u64::try_from(RETRY_MAX.as_millis()).unwrap();
    let huge = "9".repeat(100);
    let table: [(&str, u64); 12] = [
        ("0", 0),
        ("29999", 29_999),
        ("30001", clamped),
        ("99999999999", clamped),
        ("18446744073709551616", clamped),
        (&huge, clamped),
        ("+5", 0),
        ("-5", 0),
        (" 5", 0),
        ("5 ", 0),
        ("1e3", 0),
        ("٣", 0),
    ];
    for (value, millis) in table {
        let stream = format!("retry: {value}\n");
        check_chunks(stream.as_bytes().chunks(1), &(vec![], "", millis, false));
        check_chunks(
            [stream.as_bytes()].into_iter(),
            &(vec![], "", millis, false),
        );
    }
}

#[test]
fn a_chunk_is_decoded_where_it_stands() {
    let chunk = Bytes::from_static(b"event: message\ndata: {\"a\":1}\n\nid: 1\ndata:x\r\n\r\n");
    let place = |part: &Bytes| part.as_ptr().addr() - chunk.as_ptr().addr();
    let mut decoder = SseDecoder::new(LEN_MAX);
    decoder.push(chunk.clone());
    let first = decoder.next_event().unwrap().unwrap();
    // What a later event says is not known yet.
    assert_eq!((place(&first.data), decoder.last_event_id()), (21, None));
    let second = decoder.next_event().unwrap().unwrap();
    assert_eq!(
        (place(&second.data), decoder.last_event_id()),
        (41, Some("1"))
    );
    assert_eq!(decoder.next_event(), Ok(None));
}

#[test]
fn a_chunk_that_was_read_is_let_go() {
    let chunk = Bytes::from(b"data: x\n\nid: 1\nevent: a\ndata: begun\n".to_vec());
    let mut decoder = SseDecoder::new(LEN_MAX);
    decoder.push(chunk.clone());
    assert!(decoder.next_event().unwrap().is_some());
    assert_eq!(decoder.next_event(), Ok(None));
    assert!(chunk.is_unique());
}

#[test]
fn an_empty_id_is_none() {
    let mut decoder = SseDecoder::new(LEN_MAX);
    decoder.push(Bytes::from_static(b"id: 1\n\nid:\ndata: x\n\n"));
    let event = decoder.next_event().unwrap().unwrap();
    assert_eq!((event.id(), decoder.last_event_id()), (None, None));
}

#[test]
fn chunks_may_be_pushed_before_the_events_are_taken() {
    let mut decoder = SseDecoder::new(LEN_MAX);
    for chunk in [
        "data: a\n\ndata: b\n",
        "\ndata",
        ": c\n\n",
        "",
        "data: d\n\n",
    ] {
        decoder.push(Bytes::from_static(chunk.as_bytes()));
    }
    let mut events = Vec::new();
    read(&mut decoder, &mut events);
    let data: Vec<_> = events.iter().map(|event| &event.data[..]).collect();
    assert_eq!(data, [b"a", b"b", b"c", b"d"]);
}

#[test]
fn invalid_utf_8_is_replaced_and_reported() {
    let said = (
        vec![("a\u{fffd}", "\u{fffd}(\nx\u{fffd}", "\u{fffd}")],
        "\u{fffd}",
        0,
        false,
    );
    check(
        b"event:a\xff\nid:\xc3\ndata: \xe2\x82(\ndata:x\xe2\x82\n\n",
        &said,
    );
    // The beginning of a byte order mark is none, and makes the field an unknown one.
    check(b"\xef\xbbdata:x\n\ndata:y\n\n", &messages(&["y"]));
    let mut decoder = SseDecoder::new(LEN_MAX);
    decoder.push(Bytes::from_static(b"data:\xff\n\ndata:\xef\xbf\xbd\n\n"));
    let mut events = Vec::new();
    read(&mut decoder, &mut events);
    let repaired: Vec<bool> = events.iter().map(|event| event.is_repaired).collect();
    assert_eq!(repaired, [true, false]);
}
