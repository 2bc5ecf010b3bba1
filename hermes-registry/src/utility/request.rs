//! What a model asks of a utility.

use mcp_types::completion::{
    CompletionArgument, CompletionReference, PromptReference, ResourceTemplateReference,
};
use mcp_types::{CompleteParams, GetPromptParams, OrderedMap, RawJson};
use serde::Deserialize;

use super::Utility;
use crate::name::ServerName;
use crate::view::{Refusal, ViewPolicy};

/// What is to be asked of the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Request {
    Complete(Box<CompleteParams>),
    GetPrompt(Box<GetPromptParams>),
    ListPrompts,
    ListResourceTemplates,
    ListResources,
    ReadResource { uri: String },
}

#[derive(Deserialize)]
struct Complete {
    prompt: Option<String>,
    uri: Option<String>,
    argument: String,
    value: String,
    filled_in: Option<OrderedMap<RawJson>>,
}

#[derive(Deserialize)]
struct GetPrompt {
    name: String,
    arguments: Option<OrderedMap<RawJson>>,
}

#[derive(Deserialize)]
struct ReadResource {
    uri: String,
}

impl Request {
    /// Reads the arguments of a utility, a JSON object.
    ///
    /// The protocol knows texts only: any other value becomes its JSON, and one that is `null` is
    /// left out.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub(crate) fn read(utility: Utility, arguments: &RawJson) -> Result<Self, String> {
        match utility {
            Utility::Complete => complete(decode(arguments)?),
            Utility::GetPrompt => {
                let GetPrompt { name, arguments } = decode(arguments)?;
                let params = GetPromptParams::new(name);
                let params = texts(arguments).fold(params, |params, (name, value)| {
                    params.with_argument(name, value)
                });
                Ok(Self::GetPrompt(Box::new(params)))
            }
            Utility::ListPrompts => Ok(Self::ListPrompts),
            Utility::ListResourceTemplates => Ok(Self::ListResourceTemplates),
            Utility::ListResources => Ok(Self::ListResources),
            Utility::ReadResource => {
                let ReadResource { uri } = decode(arguments)?;
                Ok(Self::ReadResource { uri })
            }
        }
    }

    /// Whether an agent with this policy may ask that of the server.
    ///
    /// # Errors
    ///
    /// What keeps it from doing so.
    pub(crate) fn is_permitted(
        &self,
        policy: &ViewPolicy,
        server: &ServerName,
    ) -> Result<(), Refusal> {
        match self {
            Self::ListPrompts | Self::ListResourceTemplates | Self::ListResources => Ok(()),
            Self::ReadResource { uri } => policy.permits_resource(server, uri),
            Self::GetPrompt(params) => policy.permits_prompt(server, &params.name),
            Self::Complete(params) => match &params.reference {
                CompletionReference::Prompt(prompt) => policy.permits_prompt(server, &prompt.name),
                CompletionReference::Resource(template) => {
                    policy.permits_resource(server, &template.uri)
                }
                _ => Ok(()),
            },
        }
    }
}

fn complete(asked: Complete) -> Result<Request, String> {
    let argument = CompletionArgument::new(asked.argument, asked.value);
    let params = match (asked.prompt, asked.uri) {
        (Some(prompt), None) => CompleteParams::new(PromptReference::new(prompt), argument),
        (None, Some(uri)) => CompleteParams::new(ResourceTemplateReference::new(uri), argument),
        _ => return Err("it takes either `prompt` or `uri`".to_owned()),
    };
    let params = texts(asked.filled_in).fold(params, |params, (name, value)| {
        params.with_filled_in(name, value)
    });
    Ok(Request::Complete(Box::new(params)))
}

fn texts(values: Option<OrderedMap<RawJson>>) -> impl Iterator<Item = (String, String)> {
    let values = values.into_iter().flatten();
    values
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| {
            let text = value.decode::<String>();
            (
                name,
                text.unwrap_or_else(|_other| value.as_str().to_owned()),
            )
        })
}

fn decode<T: serde::de::DeserializeOwned>(arguments: &RawJson) -> Result<T, String> {
    arguments.decode().map_err(|error| error.to_string())
}
