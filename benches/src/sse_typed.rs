//! From a stream of events to typed messages, in memory: our path and rmcp's.

use bytes::Bytes;
use mcp_jsonrpc::params_of_notice;
use mcp_transport::sse::SseDecoder;
use mcp_types::{Decode as _, ProgressParams, method};

use crate::sse::{cut, measure};
use crate::table::median;

/// MB per second that our path has to reach.
const OURS_MIN: f64 = 400.0;
/// How many times as fast as rmcp's path ours has to be.
#[cfg(feature = "peers")]
const RATIO_MIN: f64 = 4.0;
const CHUNK_LEN: usize = 16 * 1024;
const EVENT_LEN_MAX: usize = 1024 * 1024;

/// Measures both and prints them; says whether the bars are met.
pub fn table(rounds: usize) -> Result<bool, String> {
    let chunks = cut(&notice(), CHUNK_LEN);
    let mut figures = Vec::new();
    #[cfg(feature = "peers")]
    let mut peers = Vec::new();
    for _ in 0..rounds {
        figures.push(measure(ours, &chunks)?);
        #[cfg(feature = "peers")]
        peers.push(measure(peer::typed, &chunks)?);
    }
    let ours = median(figures);
    println!(
        "typed events of {} B, MB/s: ours {ours:.0}, min {OURS_MIN}",
        notice().len()
    );
    let is_fast = ours >= OURS_MIN;
    #[cfg(feature = "peers")]
    {
        let peer = median(peers);
        let ratio = ours / peer;
        println!("    rmcp {peer:.0}, ours/rmcp {ratio:.1}, min {RATIO_MIN}");
        Ok(is_fast && ratio >= RATIO_MIN)
    }
    #[cfg(not(feature = "peers"))]
    Ok(is_fast)
}

/// A notice as servers write it, of 168 bytes.
fn notice() -> String {
    let params =
        r#"{"progressToken":12,"progress":34567,"total":100000,"message":"step 34567 of 100000"}"#;
    format!(
        "event: message\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{params}}}\n\n"
    )
}

fn ours(chunks: &[Bytes]) -> Result<usize, String> {
    let mut decoder = SseDecoder::new(EVENT_LEN_MAX);
    let mut count = 0;
    for chunk in chunks {
        decoder.push(chunk.clone());
        while let Some(event) = decoder.next_event().map_err(|error| error.to_string())? {
            // As the client does.
            let params = params_of_notice(&event.data, method::NOTIFICATIONS_PROGRESS);
            let text = std::str::from_utf8(params.ok_or("no progress")?);
            let text = text.map_err(|error| error.to_string())?;
            let params = ProgressParams::decode(text).map_err(|error| error.to_string())?;
            count += usize::from(params.value.progress > 0.0);
        }
    }
    Ok(count)
}

#[cfg(feature = "peers")]
mod peer {
    //! The stream of events that rmcp reads, and the message that it makes of each.

    use std::convert::Infallible;

    use bytes::Bytes;
    use futures_util::{FutureExt as _, StreamExt as _, stream};
    use rmcp::model::ServerJsonRpcMessage;
    use sse_stream::SseStream;

    pub(super) fn typed(chunks: &[Bytes]) -> Result<usize, String> {
        let chunks = stream::iter(chunks.to_vec().into_iter().map(Ok::<_, Infallible>));
        let mut events = SseStream::from_bytes_stream(chunks);
        let mut count = 0;
        while let Some(Some(event)) = events.next().now_or_never() {
            // The last one is cut short.
            let Some(data) = event.ok().and_then(|event| event.data) else {
                continue;
            };
            let message: ServerJsonRpcMessage =
                serde_json::from_str(&data).map_err(|error| error.to_string())?;
            count += usize::from(std::hint::black_box(message).into_notification().is_some());
        }
        Ok(count)
    }
}
