//! What is read from parameters that a caller wrote as JSON: what is repeated outside of the frame,
//! and their `_meta`, which is joined with ours.

use mcp_types::{Decode as _, Meta, RawJson, meta, method};

use super::Request;
use crate::negotiate::members_of;

/// Parameters as a caller wrote them.
pub(crate) struct RawParams(Meta);

impl RawParams {
    /// Reads them.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub(crate) fn read(params: &str) -> Result<Self, String> {
        match Meta::decode(params) {
            Ok(members) => Ok(Self(members.value)),
            Err(_other) => Err("parameters are an object".to_owned()),
        }
    }

    /// What a transport repeats of them (HTTP-13): the name of what the method is about.
    pub(crate) fn name(&self, method: &str) -> Option<String> {
        let member = match method {
            method::TOOLS_CALL | method::PROMPTS_GET => "name",
            method::RESOURCES_READ => "uri",
            method::TASKS_CANCEL | method::TASKS_GET | method::TASKS_UPDATE => "taskId",
            _ => return None,
        };
        // What is no text is for the server to refuse, as it would be on a pipe.
        self.0.decoded(member)
    }

    /// The arguments of a tool, as JSON.
    pub(crate) fn arguments(&self) -> &str {
        self.0.get("arguments").map_or("{}", RawJson::as_str)
    }

    /// Takes a `_meta` of the caller out of the members of a request and joins it with ours.
    ///
    /// What a session says of itself in each request is ours alone, and so is the token of
    /// progress: a caller who writes one wants progress, and gets it by a token of ours.
    ///
    /// # Errors
    ///
    /// If it is no object.
    pub(crate) fn move_meta(mut self, request: &mut Request) -> Result<(), String> {
        let Some(given) = self.0.remove("_meta") else {
            return Ok(());
        };
        let given = Meta::decode(given.as_str());
        let mut given = given
            .map_err(|_other| "_meta is an object".to_owned())?
            .value;
        request.wants_progress |= given.remove(meta::PROGRESS_TOKEN).is_some();
        if request.meta.is_some() {
            for ours in [
                meta::PROTOCOL_VERSION,
                meta::CLIENT_INFO,
                meta::CLIENT_CAPABILITIES,
            ] {
                given.remove(ours);
            }
        }
        request.members = members_of(&self.0);
        request.own_len = request.members.len();
        request.set_given_meta(given);
        Ok(())
    }
}
