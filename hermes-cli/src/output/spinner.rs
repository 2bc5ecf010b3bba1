//! A sign of life on standard error while people wait; nothing on a pipe.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::text;

/// The time between two frames.
const FRAME: Duration = Duration::from_millis(100);

/// The longest message, in characters; a line that wraps would not be cleared.
const MESSAGE_LEN_MAX: usize = 70;

/// A spinner, which vanishes when it is dropped.
#[derive(Debug)]
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    /// A spinner with this message, if it is wanted and standard error is a terminal.
    pub(crate) fn new(is_wanted: bool, message: &str) -> Self {
        if !is_wanted {
            return Self(ProgressBar::hidden());
        }
        // Drawn on standard error, and only if that is a terminal.
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        let spinner = Self(bar);
        spinner.set(message);
        spinner.0.enable_steady_tick(FRAME);
        spinner
    }

    /// Replaces the message.
    pub(crate) fn set(&self, message: &str) {
        self.0
            .set_message(text::cut(&text::one_line(message), MESSAGE_LEN_MAX));
    }

    /// What sets the message from elsewhere.
    pub(crate) fn setter(&self) -> impl Fn(&str) + Send + 'static {
        let other = Self(self.0.clone());
        move |message| other.set(message)
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
