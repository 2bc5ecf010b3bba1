//! The structured content of a result, held against the tool's output schema.
//!
//! The result is handed on whatever comes of it: an odd result is worth more than none.

use std::fmt;

use mcp_types::{CallToolResult, Tool};

use super::checker::Check;
use super::checkers::Checkers;
use super::mismatch::Mismatches;
use super::reason::Unchecked;

/// What is odd about the structured content of a result.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum OutputWarning {
    /// It is not what the output schema asks for.
    Differs(Mismatches),
    /// There is none, although the tool has an output schema.
    Missing,
    /// It was not checked.
    ///
    /// This is worth telling once for a tool rather than with each result.
    Unchecked(Unchecked),
}

impl fmt::Display for OutputWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs(found) => {
                write!(
                    f,
                    "the structured content is not what the tool's output schema says: {found}"
                )
            }
            Self::Missing => f.write_str(
                "the tool has an output schema, but its result has no structured content",
            ),
            Self::Unchecked(reason) => {
                write!(f, "the structured content was not checked: {reason}")
            }
        }
    }
}

pub(super) fn check(
    checkers: &Checkers,
    tool: &Tool,
    result: &CallToolResult,
) -> Option<OutputWarning> {
    // What is no object has been told of when the tool was listed.
    let schema = tool
        .output_schema
        .as_ref()
        .filter(|schema| schema.is_object())?;
    if result.failed() {
        return None;
    }
    let Some(structured) = &result.structured_content else {
        return Some(OutputWarning::Missing);
    };
    match checkers.checker(schema).check(structured) {
        Check::Fits => None,
        Check::Differs(found) => Some(OutputWarning::Differs(found)),
        Check::Unchecked(reason) => Some(OutputWarning::Unchecked(reason)),
    }
}
