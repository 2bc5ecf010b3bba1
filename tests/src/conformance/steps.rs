//! What is done once a session is open: everything that is offered, once; or what one scenario
//! wants in particular.

use futures_util::future::try_join_all;
use mcp_client::{Client, Error};
use mcp_types::{GetPromptParams, RawJson, Tool};

use super::settings::{Settings, WantedCall};
use super::{Outcome, fill};

pub(super) async fn run(client: &Client, settings: &Settings) -> Outcome {
    match (settings.scenario.as_str(), &settings.calls) {
        // Its server has a tool and does not know how to run it.
        ("json-schema-ref-no-deref", _) => tools(client).await.map(drop),
        ("json-schema-2020-12-preservation", _) => echo_schema(client).await,
        (_, Some(calls)) => make_calls(client, calls).await,
        (_, None) => use_everything(client).await,
    }
}

/// Calls each tool, reads each resource, gets each prompt.
async fn use_everything(client: &Client) -> Outcome {
    let tools = tools(client).await?;
    // All at once, so that what belongs to one call could get into another.
    try_join_all(tools.iter().map(|tool| async move {
        let arguments = fill::arguments(tool.input_schema.as_ref())?;
        call(client, &tool.name, &arguments).await
    }))
    .await?;
    let offered = &client.session().capabilities;
    if offered.resources.is_some() {
        read_resources(client).await?;
    }
    if offered.prompts.is_some() {
        get_prompts(client).await?;
    }
    Ok(())
}

async fn read_resources(client: &Client) -> Outcome {
    let listing = client.list_resources().await.map_err(failed("resources"))?;
    for resource in listing.items {
        let reading = client.read_resource(&resource.uri).await;
        reading.map_err(failed(&resource.uri))?;
    }
    Ok(())
}

async fn get_prompts(client: &Client) -> Outcome {
    let listing = client.list_prompts().await.map_err(failed("prompts"))?;
    for prompt in listing.items {
        let mut params = GetPromptParams::new(prompt.name.as_str());
        for argument in prompt.arguments.iter().flatten() {
            params = params.with_argument(argument.name.as_str(), "text");
        }
        let getting = client.get_prompt(&params).await;
        getting.map_err(failed(&prompt.name))?;
    }
    Ok(())
}

/// Lists the tools, which is how the client learns what to repeat in headers, and makes the calls
/// that the scenario names.
async fn make_calls(client: &Client, calls: &[WantedCall]) -> Outcome {
    tools(client).await?;
    for wanted in calls {
        call(client, &wanted.name, &wanted.arguments).await?;
    }
    Ok(())
}

/// Sends the schema of one tool back as the argument of another.
async fn echo_schema(client: &Client) -> Outcome {
    let tools = tools(client).await?;
    let tool = tools
        .iter()
        .find(|tool| tool.name == "json_schema_2020_12_tool")
        .ok_or("the tool with the schema is not in the list")?;
    let schema = tool.input_schema.as_ref().ok_or("it has no schema")?;
    let arguments = RawJson::parse(format!(r#"{{"schema":{}}}"#, schema.as_str()))
        .map_err(|error| error.to_string())?;
    call(client, "json_schema_echo", &arguments).await
}

async fn tools(client: &Client) -> Outcome<Vec<Tool>> {
    let listing = client.list_tools().await.map_err(failed("tools"))?;
    Ok(listing.items)
}

async fn call(client: &Client, name: &str, arguments: &RawJson) -> Outcome {
    let reply = client.call_tool(name, arguments).await;
    let reply = reply.map_err(failed(name))?;
    if reply.value.failed() {
        return Err(format!(
            "{name}: the tool failed: {:?}",
            reply.value.content
        ));
    }
    Ok(())
}

fn failed(what: &str) -> impl FnOnce(Error) -> String {
    move |error| format!("{what}: {error}")
}
