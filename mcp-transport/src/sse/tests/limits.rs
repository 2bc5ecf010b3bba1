//! Streams at a limit, and one past it.

use super::*;

/// How many events there were, and what ended them.
type End = (usize, Result<(), SseError>);

/// Reads the stream whole and in chunks, which must come to the same end.
#[track_caller]
fn end(len_max: usize, stream: &[u8]) -> End {
    let ends = [stream.len().max(1), 1, 7].map(|len| {
        let mut decoder = SseDecoder::new(len_max);
        let mut count = 0;
        for chunk in stream.chunks(len) {
            decoder.push(Bytes::copy_from_slice(chunk));
            loop {
                match decoder.next_event() {
                    Ok(None) => break,
                    Ok(Some(_event)) => count += 1,
                    Err(error) => {
                        assert_eq!(decoder.next_event(), Err(error));
                        return (count, Err(error));
                    }
                }
            }
        }
        (count, Ok(()))
    });
    let [whole, ..] = ends;
    assert_eq!(ends, [whole; 3]);
    whole
}

#[test]
fn limits_hold_and_one_past_them_fails() {
    let (event, line) = (
        Err(SseError::EventTooLong { len_max: 16 }),
        Err(SseError::LineTooLong { len_max: 16 }),
    );
    let table: [(&[u8], End); 14] = [
        (b"data: 0123456789abcdef\n\n", (1, Ok(()))),
        (b"data: 0123456789abcdefg", (0, event)),
        (
            b"data:x\n\ndata:0123456789abcdefg\n\ndata:x\n\n",
            (1, event),
        ),
        (b"data:01234567\ndata:9abcdef\n\n", (1, Ok(()))),
        (b"data:01234567\ndata:9abcdefg\n\n", (0, event)),
        (b"data:0123456789abcdef\ndata\n\n", (0, event)),
        // Replacements count as what they are.
        (b"data:\xff\xff\xff\xff\xff\n\n", (1, Ok(()))),
        (b"data:\xff\xff\xff\xff\xff\xff\n\n", (0, event)),
        (b":123456789abcdef\n", (0, Ok(()))),
        (b":123456789abcdefg", (0, line)),
        (b"event: 789abcdef\n", (0, Ok(()))),
        (b"event: 789abcdefg", (0, line)),
        (b"id: 456789abcdef\nretry: 789abcdefg\n", (0, line)),
        (b"no colon in here!\n", (0, line)),
    ];
    for (stream, wanted) in table {
        assert_eq!(end(16, stream), wanted, "{}", stream.escape_ascii());
    }
}

#[test]
fn a_name_too_long_ends_the_stream() {
    let stream = |len| format!("event: {}\ndata: x\n\n", "n".repeat(len)).into_bytes();
    let error = SseError::NameTooLong {
        len_max: NAME_LEN_MAX,
    };
    assert_eq!(end(1_000_000, &stream(NAME_LEN_MAX)), (1, Ok(())));
    assert_eq!(end(1_000_000, &stream(NAME_LEN_MAX + 1)), (0, Err(error)));
    assert_eq!(end(1_000_000, &stream(3 * NAME_LEN_MAX)), (0, Err(error)));
}

#[test]
fn an_id_too_long_stands_for_none() {
    for (len, wanted) in [
        (ID_LEN_MAX, ID_LEN_MAX),
        (ID_LEN_MAX + 1, 0),
        (3 * ID_LEN_MAX, 0),
    ] {
        let stream = format!("id: a\ndata: x\n\nid: {}\ndata: x\n\n", "i".repeat(len));
        for chunk_len in [1, 1_000, stream.len()] {
            let mut decoder = SseDecoder::new(1_000_000);
            let mut events = Vec::new();
            for chunk in stream.as_bytes().chunks(chunk_len) {
                decoder.push(Bytes::copy_from_slice(chunk));
                read(&mut decoder, &mut events);
            }
            let [first, second] = &events[..] else {
                panic!("{}", events.len())
            };
            assert_eq!(first.id(), Some("a"));
            assert_eq!(second.id().map_or(0, str::len), wanted);
        }
    }
}
