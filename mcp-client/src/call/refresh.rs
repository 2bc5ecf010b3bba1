//! The list of tools, read again because the headers of a call did not fit.

use std::sync::Arc;
use std::time::Duration;

use mcp_jsonrpc::Timeouts;
use mcp_transport::Labels;
use mcp_types::{ListToolsResult, Tool, method};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Call, Request, read_callable_tools};
use crate::Error;
use crate::driver::Shared;

/// How long a page may take.
const PAGE_TIMEOUT: Duration = Duration::from_secs(60);
/// Pages that are read.
// Bound: a cursor that never ends, as for any list.
const PAGES_MAX: usize = 50;

/// Reads the list and gives the request with the headers that it now wants; or `error`, if that
/// changes nothing.
pub(super) async fn refresh(
    shared: Arc<Shared>,
    mut request: Request,
    error: Error,
) -> Result<Request, Error> {
    let Ok(tools) = list(&shared, &request).await else {
        return Err(error);
    };
    shared.params.replace(&tools);
    let Some(labels) = &mut request.labels else {
        return Err(error);
    };
    let before = std::mem::take(&mut labels.params);
    let own = request.members.get(..request.own_len).unwrap_or_default();
    if let Some((name, arguments)) = tool_and_arguments(own)
        && let Ok(params) = shared.params.of_call(&name, &arguments)
        && params != before
    {
        labels.params = params;
        return Ok(request);
    }
    Err(error)
}

async fn list(shared: &Arc<Shared>, like: &Request) -> Result<Vec<Tool>, Error> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGES_MAX {
        let own_meta = like.own_meta.as_ref();
        let mut request = Request {
            meta: like.meta.clone(),
            own_meta: own_meta.map(|own| Box::new(own.for_another())),
            ..Request::new(method::TOOLS_LIST, Vec::new())
        };
        if let Some(labels) = &like.labels {
            let mut own = Labels::default();
            own.version.clone_from(&labels.version);
            request.labels = Some(Box::new(own));
        }
        if let Some(cursor) = &cursor {
            request.push_member("cursor", cursor);
        }
        let timeouts = Timeouts::new(PAGE_TIMEOUT, PAGE_TIMEOUT);
        let call = Call::new(Arc::clone(shared), timeouts, request, read_callable_tools);
        let page: ListToolsResult = call.without_recovery().await?.value;
        tools.extend(page.tools);
        if page.next_cursor.is_none() || page.next_cursor == cursor {
            break;
        }
        cursor = page.next_cursor;
    }
    Ok(tools)
}

/// The tool and the arguments of a call, from its members.
fn tool_and_arguments(members: &[u8]) -> Option<(String, String)> {
    #[derive(Deserialize)]
    struct Call<'a> {
        name: String,
        #[serde(borrow)]
        arguments: Option<&'a RawValue>,
    }
    let json = format!("{{{}}}", std::str::from_utf8(members).ok()?);
    let call: Call<'_> = serde_json::from_str(&json).ok()?;
    let arguments = call.arguments.map_or("{}", RawValue::get);
    Some((call.name, arguments.to_owned()))
}
