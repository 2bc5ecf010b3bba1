//! Servers over HTTP that misbehave, played by rules in memory.

mod cases;
mod streams;
mod torture;
