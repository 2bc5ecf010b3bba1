//! Decoders of event streams, in memory: ours, another one, and a look for line ends as the floor.

use std::time::Duration;

use bytes::Bytes;
use mcp_transport::sse::SseDecoder;
use rustix::time::{ClockId, clock_gettime};

/// A stream of events that are all alike, in chunks of one length.
struct Row {
    name: &'static str,
    event: fn() -> String,
    chunk_len: usize,
}

const ROWS: [Row; 4] = [
    Row {
        name: "168 B events, 16 KiB chunks",
        event: || message(168),
        chunk_len: 16 * 1024,
    },
    Row {
        name: "168 B events, 100 B chunks",
        event: || message(168),
        chunk_len: 100,
    },
    Row {
        name: "1 MB events, 16 KiB chunks",
        event: || message(1_000_000),
        chunk_len: 16 * 1024,
    },
    Row {
        name: "1,000 lines of 1 B each, 16 KiB chunks",
        event: || format!("{}\n", "data: x\n".repeat(1_000)),
        chunk_len: 16 * 1024,
    },
];

/// Bytes that each decoder reads in a round.
const STREAM_LEN: usize = 32 * 1024 * 1024;
const EVENT_LEN_MAX: usize = 32 * 1024 * 1024;

/// Reads chunks, and says how many events or line ends there are.
type Decode = fn(&[Bytes]) -> Result<usize, String>;

const DECODERS: [(&str, Decode); if cfg!(feature = "peers") { 3 } else { 2 }] = [
    ("floor", floor),
    ("ours", ours),
    #[cfg(feature = "peers")]
    ("eventsource-client", peer::decode),
];

/// Measures everything and prints the table.
pub fn table(words: &[&str]) -> Result<(), String> {
    let rounds = crate::table::rounds(words)?;
    println!("MB per second of processor time, median of {rounds} interleaved rounds");
    print!("{:40}", "");
    for (name, _decode) in DECODERS {
        print!(" {name:>18}");
    }
    println!();
    for row in &ROWS {
        let chunks = cut(&(row.event)(), row.chunk_len);
        let mut figures = DECODERS.map(|_decoder| Vec::new());
        for _ in 0..rounds {
            for ((_name, decode), figures) in DECODERS.iter().zip(&mut figures) {
                figures.push(measure(*decode, &chunks)?);
            }
        }
        print!("{:40}", row.name);
        for figures in figures {
            print!(" {:18.0}", crate::table::median(figures));
        }
        println!();
    }
    Ok(())
}

pub fn measure(decode: Decode, chunks: &[Bytes]) -> Result<f64, String> {
    let start = cpu();
    let count = decode(chunks)?;
    let taken = (cpu() - start).as_secs_f64();
    if count == 0 {
        return Err("nothing was decoded".to_owned());
    }
    Ok(STREAM_LEN as f64 / 1e6 / taken)
}

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// An event of this many bytes, as servers write it.
fn message(len: usize) -> String {
    let (before, after) = ("event: message\ndata: {\"x\":\"", "\"}\n\n");
    let text = "x".repeat(len - before.len() - after.len());
    format!("{before}{text}{after}")
}

/// A stream of one event over and over, in chunks of one length.
pub fn cut(event: &str, chunk_len: usize) -> Vec<Bytes> {
    let mut stream = Bytes::from(event.repeat(STREAM_LEN / event.len() + 1));
    stream.truncate(STREAM_LEN);
    let mut chunks = Vec::new();
    while !stream.is_empty() {
        // Each with storage of its own, as they come from a connection.
        let chunk = stream.split_to(chunk_len.min(stream.len()));
        chunks.push(Bytes::copy_from_slice(&chunk));
    }
    chunks
}

fn floor(chunks: &[Bytes]) -> Result<usize, String> {
    let ends = chunks
        .iter()
        .map(|chunk| memchr::memchr2_iter(b'\r', b'\n', chunk).count());
    Ok(ends.sum())
}

fn ours(chunks: &[Bytes]) -> Result<usize, String> {
    let mut decoder = SseDecoder::new(EVENT_LEN_MAX);
    let mut count = 0;
    for chunk in chunks {
        decoder.push(chunk.clone());
        while let Some(event) = decoder.next_event().map_err(|error| error.to_string())? {
            count += usize::from(!event.data.is_empty());
        }
    }
    Ok(count)
}

#[cfg(feature = "peers")]
mod peer {
    //! eventsource-client, with a server in memory.

    use bytes::Bytes;
    use eventsource_client::{Client as _, ClientBuilder, Error, ReconnectOptions, SSE};
    use futures_util::{FutureExt as _, StreamExt as _, stream};
    use launchdarkly_sdk_transport::{ByteStream, HttpTransport, ResponseFuture};

    #[derive(Clone)]
    struct Canned(Vec<Bytes>);

    impl HttpTransport for Canned {
        fn request(&self, _request: http::Request<Option<Bytes>>) -> ResponseFuture {
            let body: ByteStream = Box::pin(stream::iter(self.0.clone().into_iter().map(Ok)));
            let response = http::Response::new(body);
            Box::pin(std::future::ready(Ok(response)))
        }
    }

    pub(super) fn decode(chunks: &[Bytes]) -> Result<usize, String> {
        let client = ClientBuilder::for_url("http://example.test/")
            .map_err(|error| error.to_string())?
            .reconnect(ReconnectOptions::reconnect(false).build())
            .build_with_transport(Canned(chunks.to_vec()));
        let mut stream = client.stream();
        let mut count = 0;
        while let Some(Some(item)) = stream.next().now_or_never() {
            match item {
                Ok(SSE::Event(_event)) => count += 1,
                Ok(_other) => {}
                Err(Error::Eof | Error::UnexpectedEof) => break,
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(count)
    }
}
