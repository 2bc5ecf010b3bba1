//! Schemas that were compiled, kept for the next call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::{CallToolResult, RawJson, Tool};

use super::checker::{Check, Checker};
use super::output::{self, OutputWarning};

/// The most compiled schemas that are kept: 512.
///
/// Bound: memory; more tools than these are not called in turns.
pub const CHECKERS_MAX: usize = 512;

/// The most bytes that the texts of the schemas that are kept have together: 8 MiB.
///
/// Bound: memory; what a schema is compiled to is many times as large.
pub const CHECKERS_LEN_MAX: usize = 8 << 20;

/// Compiled schemas by their texts, each compiled when it is first asked for.
///
/// Tools with the same schema share it; a tool whose schema changed finds another one.
/// What was not asked for the longest time goes first.
#[derive(Debug, Default)]
pub struct Checkers {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    by_text: HashMap<RawJson, Entry>,
    /// Bytes of all texts.
    len: usize,
    /// How often a schema was asked for.
    asked: u64,
}

#[derive(Debug)]
struct Entry {
    checker: Arc<Checker>,
    /// The count of questions when it was last asked for.
    asked: u64,
}

impl Checkers {
    /// No schema yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The checker of this schema, compiled now if it is not there.
    ///
    /// Two callers at the same moment may both compile it; nobody waits for the other.
    #[must_use]
    pub fn checker(&self, schema: &RawJson) -> Arc<Checker> {
        if let Some(known) = self.lock().find(schema) {
            return known;
        }
        let checker = Arc::new(Checker::new(schema));
        self.lock().keep(schema, &checker);
        checker
    }

    /// Holds the arguments of a call against the tool's input schema.
    ///
    /// A tool without one takes anything.
    #[must_use]
    pub fn check_arguments(&self, tool: &Tool, arguments: &RawJson) -> Check {
        match &tool.input_schema {
            Some(schema) => self.checker(schema).check(arguments),
            None => Check::Fits,
        }
    }

    /// Holds the structured content of a result against the tool's output schema.
    ///
    /// The result stays what it is: this only tells what is wrong with it, and nothing for a tool
    /// that failed or has no output schema.
    #[must_use]
    pub fn check_output(&self, tool: &Tool, result: &CallToolResult) -> Option<OutputWarning> {
        output::check(self, tool, result)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn find(&mut self, schema: &RawJson) -> Option<Arc<Checker>> {
        self.asked += 1;
        let entry = self.by_text.get_mut(schema)?;
        entry.asked = self.asked;
        Some(Arc::clone(&entry.checker))
    }

    fn keep(&mut self, schema: &RawJson, checker: &Arc<Checker>) {
        let len = schema.as_str().len();
        // What is too long to be used costs nothing to be refused again.
        if len > super::SCHEMA_LEN_MAX {
            return;
        }
        let entry = Entry {
            checker: Arc::clone(checker),
            asked: self.asked,
        };
        if self.by_text.insert(schema.clone(), entry).is_none() {
            self.len += len;
        }
        while self.by_text.len() > CHECKERS_MAX || self.len > CHECKERS_LEN_MAX {
            let oldest = self.by_text.iter().min_by_key(|(_, entry)| entry.asked);
            let Some(oldest) = oldest.map(|(schema, _)| schema.clone()) else {
                break;
            };
            self.by_text.remove(&oldest);
            self.len = self.len.saturating_sub(oldest.as_str().len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(number: usize, padding: usize) -> RawJson {
        let padding = "x".repeat(padding);
        RawJson::parse(format!(r#"{{"const":{number},"title":"{padding}"}}"#)).unwrap()
    }

    #[test]
    fn a_schema_is_compiled_once_and_shared() {
        let checkers = Checkers::new();
        let first = checkers.checker(&schema(1, 0));
        assert!(Arc::ptr_eq(&first, &checkers.checker(&schema(1, 0))));
        assert!(!Arc::ptr_eq(&first, &checkers.checker(&schema(2, 0))));
    }

    #[test]
    fn what_was_not_asked_for_the_longest_time_goes_at_the_bound() {
        let checkers = Checkers::new();
        let all: Vec<Arc<Checker>> = (0..CHECKERS_MAX)
            .map(|number| checkers.checker(&schema(number, 0)))
            .collect();
        assert!(Arc::ptr_eq(&all[0], &checkers.checker(&schema(0, 0))));
        let _: Arc<Checker> = checkers.checker(&schema(CHECKERS_MAX, 0));
        assert_eq!(checkers.lock().by_text.len(), CHECKERS_MAX);
        assert!(Arc::ptr_eq(&all[0], &checkers.checker(&schema(0, 0))));
        assert!(!Arc::ptr_eq(&all[1], &checkers.checker(&schema(1, 0))));
    }

    #[test]
    fn the_texts_that_are_kept_have_a_bound_together() {
        let checkers = Checkers::new();
        let fitting = CHECKERS_LEN_MAX / (200 << 10);
        for number in 0..fitting + 10 {
            let _: Arc<Checker> = checkers.checker(&schema(number, 200 << 10));
        }
        let kept = checkers.lock();
        assert!(kept.len <= CHECKERS_LEN_MAX, "{}", kept.len);
        let len: usize = kept.by_text.keys().map(|text| text.as_str().len()).sum();
        assert_eq!(len, kept.len);
        assert!(kept.by_text.len() >= fitting - 1, "{}", kept.by_text.len());
    }
}
