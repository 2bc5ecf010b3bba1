//! One line of the log of frames.

use std::time::Instant;

use mcp_client::{Tapped, TappedFrame};

use super::hide::{Shown, hide};
use crate::json::quoted;
use crate::usage::as_seconds;

/// What was tapped as one line, with its end; `start` is when the log begins.
pub(super) fn line(tapped: &Tapped, start: Instant) -> String {
    match tapped {
        Tapped::Frame(frame) => of_frame(frame, start),
        Tapped::Missed(count) => format!("{{\"missed\":{count}}}\n"),
        // Nothing else is tapped so far.
        _ => String::new(),
    }
}

fn of_frame(frame: &TappedFrame, start: Instant) -> String {
    let at = as_seconds(frame.at.saturating_duration_since(start));
    let server = quoted(&frame.server);
    let direction = frame.direction.as_str();
    let head = format!("{{\"at\":{at},\"server\":{server},\"direction\":\"{direction}\"");
    match hide(&frame.bytes, frame.is_whole(), &frame.redactor) {
        Shown::Json(json) => format!("{head},\"frame\":{json}}}\n"),
        Shown::Text(text, why) => {
            let (text, why, len) = (quoted(&text), why.as_str(), frame.len);
            format!("{head},\"text\":{text},\"why\":\"{why}\",\"bytes\":{len}}}\n")
        }
    }
}
