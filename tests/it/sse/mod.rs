//! Server-sent events: against another decoder, and what they cost.

mod cost;
mod oracle;
