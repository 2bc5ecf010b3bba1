//! What all results have in common.

use crate::map::Extra;
use crate::meta::Meta;

/// What kind of result a result is. Since 2026-07-28.
///
/// Absent means [`ResultType::Complete`]; one that this crate does not know must not be taken for
/// complete (T-35).
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ResultType {
    /// The result of the method.
    Complete,
    /// A request for input; see [`InputRequiredResult`](crate::input::InputRequiredResult).
    InputRequired,
    /// A task instead of a result. Tasks extension only.
    Task,
    /// A value that this crate does not know.
    Other(String),
}

wire_enum! {
    ResultType { Complete = "complete", InputRequired = "input_required", Task = "task" }
}

/// What all results have in common.
pub trait ResultObject {
    /// What kind of result it is; absent means complete.
    fn result_type(&self) -> Option<&ResultType>;

    /// Its open data.
    fn meta(&self) -> Option<&Meta>;
}

macro_rules! result_object {
    ($($type:ty),+ $(,)?) => {
        $(impl ResultObject for $type {
            fn result_type(&self) -> Option<&ResultType> {
                self.result_type.as_ref()
            }

            fn meta(&self) -> Option<&Meta> {
                self.meta.as_ref()
            }
        })+
    };
}

result_object!(
    crate::completion::CompleteResult,
    crate::elicitation::ElicitResult,
    crate::input::InputRequiredResult,
    crate::lifecycle::DiscoverResult,
    crate::lifecycle::InitializeResult,
    crate::prompt::GetPromptResult,
    crate::prompt::ListPromptsResult,
    crate::resource::ListResourceTemplatesResult,
    crate::resource::ListResourcesResult,
    crate::resource::ReadResourceResult,
    crate::root::ListRootsResult,
    crate::sampling::CreateMessageResult,
    crate::subscription::SubscriptionsListenResult,
    crate::task::CreateTaskResult,
    crate::task::ListTasksResult,
    crate::task::Task,
    crate::tool::CallToolResult,
    crate::tool::ListToolsResult,
    EmptyResult,
);

/// A result that says only that it is there, as of `ping`; also what all results have in common,
/// for a first look. All revisions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EmptyResult {
    /// What kind of result this is. Since 2026-07-28.
    pub result_type: Option<ResultType>,
    /// Open data.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl EmptyResult {
    /// An empty result.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

wire_object! {
    EmptyResult {
        Optional result_type = "resultType",
        Optional meta = "_meta",
    }
}
