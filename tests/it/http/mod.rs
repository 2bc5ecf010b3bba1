//! Servers over HTTP that misbehave, played by rules in memory.

mod cases;
mod legacy;
mod refusals;
mod streams;
mod torture;
mod wire;
