//! Our decoder and that of eventsource-client read the same events.
//!
//! Where they differ on purpose, and how the streams that are made here avoid it:
//!
//! | what | theirs | ours | the streams |
//! |---|---|---|---|
//! | invalid UTF-8 | ends the stream | is replaced | are valid |
//! | data that is empty as a whole | is handed out | is not | have a character in the first line of data |
//! | a block that sets nothing | ends the stream | is skipped | have an id before all else, so that each block has one |
//! | an empty id | is an id | is none | are compared with an empty text for none |
//! | `retry: +5` | counts | does not | have digits alone |
//! | `retry` that is too long | is ignored | is clamped | have at most four digits |
//! | `retry` without an event | is dropped with it | counts | have it in blocks with data |
//! | limits | none | of data, lines, names, ids | stay within them |

use bytes::Bytes;
use eventsource_client::{Client as _, ClientBuilder, Error, ReconnectOptions, SSE};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use launchdarkly_sdk_transport::{ByteStream, HttpTransport, ResponseFuture};
use mcp_transport::sse::SseDecoder;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Name, data and id of each event, and the last retry time.
type Said = (Vec<[String; 3]>, Option<u64>);

/// A server in memory, whose answer comes in these chunks.
#[derive(Clone)]
struct Canned(Vec<Bytes>);

impl HttpTransport for Canned {
    fn request(&self, _request: http::Request<Option<Bytes>>) -> ResponseFuture {
        let body: ByteStream = Box::pin(stream::iter(self.0.clone().into_iter().map(Ok)));
        let response = http::Response::new(body);
        Box::pin(std::future::ready(Ok(response)))
    }
}

fn theirs(chunks: Vec<Bytes>) -> Said {
    let client = ClientBuilder::for_url("http://example.test/")
        .unwrap()
        .reconnect(ReconnectOptions::reconnect(false).build())
        .build_with_transport(Canned(chunks));
    let items: Vec<_> = client.stream().collect().now_or_never().unwrap();
    let (mut events, mut retry) = (Vec::new(), None);
    for item in items {
        match item {
            Ok(SSE::Event(event)) => {
                retry = event.retry.or(retry);
                events.push([event.event_type, event.data, event.id.unwrap_or_default()]);
            }
            Ok(SSE::Connected(_) | SSE::Comment(_)) => {}
            Err(Error::Eof | Error::UnexpectedEof) => {}
            Err(error) => panic!("{error}"),
        }
    }
    (events, retry)
}

fn ours(chunks: Vec<Bytes>) -> Said {
    let mut decoder = SseDecoder::new(1024 * 1024);
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        while let Some(event) = decoder.next_event().unwrap() {
            let data = String::from_utf8(event.data.to_vec()).unwrap();
            let id = event.id().unwrap_or_default().to_owned();
            events.push([event.name().to_owned(), data, id]);
        }
    }
    let retry = decoder.retry().map(|retry| retry.as_millis());
    (events, retry.map(|millis| u64::try_from(millis).unwrap()))
}

/// A line that no decoder does anything with, or a field other than data.
fn side_line() -> impl Strategy<Value = String> {
    prop_oneof![
        ":[^\r\n]{0,8}",
        "(dat|Data|data2|retry2|\u{feff}data| data|com)(: ?[a-z:]{0,4})?",
        "event(: ?[a-z é]{0,6})?",
        "id(: ?[a-z0-9\u{0} é]{0,6})?",
    ]
}

/// The lines of a block: without data, or with a first line of data that is not empty.
fn block() -> impl Strategy<Value = Vec<String>> {
    let further = prop_oneof![side_line(), "data(: ?[^\r\n]{0,8})?", "retry: ?[0-9]{1,4}"];
    let data = ("data: ?[a-z{}]", "[^\r\n]{0,8}").prop_map(|(first, rest)| first + &rest);
    let with_data = (vec(side_line(), 0..3), data, vec(further, 0..4))
        .prop_map(|(before, data, after)| [before, vec![data], after].concat());
    prop_oneof![1 => vec(side_line(), 0..3), 3 => with_data]
}

/// Blocks with line ends of all kinds, perhaps a byte order mark, perhaps no end; then the chunks.
fn chunked_stream() -> impl Strategy<Value = Vec<Bytes>> {
    let end = || prop_oneof![Just("\n"), Just("\r"), Just("\r\n")];
    let blocks = vec((block(), vec(end(), 12)), 1..6);
    let mark = prop_oneof![3 => Just(""), 1 => Just("\u{feff}")];
    let tail = option::of("(data|data: x|id: y|:)");
    (mark, end(), blocks, tail, vec(1..20_usize, 1..6)).prop_map(
        |(mark, end, blocks, tail, cuts)| {
            let mut text = format!("{mark}id: first{end}{end}");
            for (lines, ends) in blocks {
                let mut blank = end;
                for (line, end) in lines.iter().zip(ends) {
                    text.extend([line, end]);
                    blank = end;
                }
                // The same end again, since `\r` and `\n` would be one.
                text += blank;
            }
            text.extend(tail);
            let mut rest = Bytes::from(text);
            let mut chunks = Vec::new();
            let mut lens = cuts.into_iter().cycle();
            while !rest.is_empty() {
                let len = lens.next().unwrap_or(1).min(rest.len());
                chunks.push(rest.split_to(len));
            }
            chunks
        },
    )
}

proptest! {
    #![proptest_config(crate::properties::cases())]

    #[test]
    fn another_decoder_reads_the_same_events(chunks in chunked_stream()) {
        prop_assert_eq!(ours(chunks.clone()), theirs(chunks));
    }
}

/// So that the property above does not hold for want of events.
#[test]
fn the_other_decoder_reads_events_at_all() {
    let chunks: Vec<Bytes> = ["id: 1\r", "\ndata: a\rretry: 7\r", "\r"]
        .map(Bytes::from)
        .to_vec();
    let said = (vec![["message", "a", "1"].map(str::to_owned)], Some(7));
    assert_eq!(theirs(chunks.clone()), said);
    assert_eq!(ours(chunks), said);
}
