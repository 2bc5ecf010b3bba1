//! Subscriptions: one stream of the notices that a client asks for. Since 2026-07-28.

use crate::map::Extra;
use crate::meta::Meta;
use crate::result::ResultType;
use crate::token::Token;

/// Which notices are wanted, or granted. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SubscriptionFilter {
    /// When the list of tools changes.
    pub tools_list_changed: Option<bool>,
    /// When the list of prompts changes.
    pub prompts_list_changed: Option<bool>,
    /// When the list of resources changes.
    pub resources_list_changed: Option<bool>,
    /// When one of these resources changes.
    pub resource_subscriptions: Option<Vec<String>>,
    /// When one of these tasks changes. Tasks extension only.
    pub task_ids: Option<Vec<String>>,
    /// Members without a field here.
    pub extra: Extra,
}

impl SubscriptionFilter {
    /// No notices.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds changes of the list of tools.
    #[must_use]
    pub const fn with_tools(mut self) -> Self {
        self.tools_list_changed = Some(true);
        self
    }

    /// Adds changes of the list of prompts.
    #[must_use]
    pub const fn with_prompts(mut self) -> Self {
        self.prompts_list_changed = Some(true);
        self
    }

    /// Adds changes of the list of resources.
    #[must_use]
    pub const fn with_resources(mut self) -> Self {
        self.resources_list_changed = Some(true);
        self
    }

    /// Adds changes of one resource.
    #[must_use]
    pub fn with_resource(mut self, uri: impl Into<String>) -> Self {
        self.resource_subscriptions
            .get_or_insert_default()
            .push(uri.into());
        self
    }
}

wire_object! {
    SubscriptionFilter {
        Optional tools_list_changed = "toolsListChanged",
        Optional prompts_list_changed = "promptsListChanged",
        Optional resources_list_changed = "resourcesListChanged",
        Optional resource_subscriptions = "resourceSubscriptions",
        Optional task_ids = "taskIds",
    }
}

/// The parameters of `subscriptions/listen`. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SubscriptionsListenParams {
    /// Which notices are wanted.
    pub notifications: SubscriptionFilter,
    /// Open data; required.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl SubscriptionsListenParams {
    /// Which notices are wanted.
    #[must_use]
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self {
            notifications,
            ..Self::default()
        }
    }
}

wire_object! {
    SubscriptionsListenParams {
        Required notifications = "notifications",
        Optional meta = "_meta",
    }
}

/// The parameters of `notifications/subscriptions/acknowledged`. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SubscriptionsAcknowledgedParams {
    /// Which notices will come; fewer than were wanted, perhaps (T-47).
    pub notifications: SubscriptionFilter,
    /// Open data, with the id of the subscription.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl SubscriptionsAcknowledgedParams {
    /// Which notices will come.
    #[must_use]
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self {
            notifications,
            ..Self::default()
        }
    }
}

wire_object! {
    SubscriptionsAcknowledgedParams {
        Required notifications = "notifications",
        Optional meta = "_meta",
    }
}

/// The result of `subscriptions/listen`, which says that no more notices come. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SubscriptionsListenResult {
    /// What kind of result this is.
    pub result_type: Option<ResultType>,
    /// Open data, with the id of the subscription.
    pub meta: Option<Meta>,
    /// Members without a field here.
    pub extra: Extra,
}

impl SubscriptionsListenResult {
    /// The subscription that ended.
    #[must_use]
    pub fn subscription_id(&self) -> Option<Token> {
        self.meta.as_ref().and_then(Meta::subscription_id)
    }
}

wire_object! {
    SubscriptionsListenResult {
        Optional result_type = "resultType",
        Optional meta = "_meta",
    }
}
