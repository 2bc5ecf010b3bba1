//! Requests to one server that are no calls of tools: resources, prompts, completions.
//!
//! They go through the same door as calls: a server that is asleep is woken, one that was given up
//! refuses, and how they end tells of the server's health.

use std::future::Future;
use std::sync::Arc;

use mcp_client::{Client, Error, Listing, Reply};
use mcp_types::{
    CompleteParams, CompleteResult, GetPromptParams, GetPromptResult, Prompt, ReadResourceResult,
    Resource, ResourceTemplate, method,
};

use super::Registry;
use super::failure::failed;
use super::pass::Admission;
use super::slot::Server;
use super::slots::SlotId;
use crate::RegistryError;
use crate::life::CallEnd;
use crate::name::Route;

impl Registry {
    /// All resources of a server.
    ///
    /// Of this and the other lists: an item that could not be read is left out and told of, and a
    /// list that a modern server calls fresh is not asked for again.
    ///
    /// # Errors
    ///
    /// As [`Registry::call`], with the method in the place of the tool; also if the server does not
    /// offer it.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    pub async fn resources(&self, server: &str) -> Result<Listing<Resource>, RegistryError> {
        let ask = async |client: Client| client.list_resources().await;
        self.request(server, method::RESOURCES_LIST, ask).await
    }

    /// All templates of resources of a server.
    ///
    /// # Errors
    ///
    /// As [`Registry::resources`].
    ///
    /// # Cancel safety
    ///
    /// As there.
    pub async fn resource_templates(
        &self,
        server: &str,
    ) -> Result<Listing<ResourceTemplate>, RegistryError> {
        let ask = async |client: Client| client.list_resource_templates().await;
        self.request(server, method::RESOURCES_TEMPLATES_LIST, ask)
            .await
    }

    /// Reads a resource of a server.
    ///
    /// # Errors
    ///
    /// As [`Registry::resources`].
    ///
    /// # Cancel safety
    ///
    /// As there.
    pub async fn read_resource(
        &self,
        server: &str,
        uri: &str,
    ) -> Result<Reply<ReadResourceResult>, RegistryError> {
        let ask = async |client: Client| client.read_resource(uri).await;
        self.request(server, method::RESOURCES_READ, ask).await
    }

    /// All prompts of a server.
    ///
    /// # Errors
    ///
    /// As [`Registry::resources`].
    ///
    /// # Cancel safety
    ///
    /// As there.
    pub async fn prompts(&self, server: &str) -> Result<Listing<Prompt>, RegistryError> {
        let ask = async |client: Client| client.list_prompts().await;
        self.request(server, method::PROMPTS_LIST, ask).await
    }

    /// Gets a prompt of a server, filled in.
    ///
    /// # Errors
    ///
    /// As [`Registry::resources`].
    ///
    /// # Cancel safety
    ///
    /// As there.
    pub async fn prompt(
        &self,
        server: &str,
        params: &GetPromptParams,
    ) -> Result<Reply<GetPromptResult>, RegistryError> {
        let ask = async |client: Client| client.get_prompt(params).await;
        self.request(server, method::PROMPTS_GET, ask).await
    }

    /// Completes an argument of a prompt or of a template of a server.
    ///
    /// # Errors
    ///
    /// As [`Registry::resources`].
    ///
    /// # Cancel safety
    ///
    /// As there.
    pub async fn complete(
        &self,
        server: &str,
        params: &CompleteParams,
    ) -> Result<Reply<CompleteResult>, RegistryError> {
        let ask = async |client: Client| client.complete(params).await;
        self.request(server, method::COMPLETION_COMPLETE, ask).await
    }

    /// Makes one request of a server, by its name.
    pub(super) async fn request<T, F>(
        &self,
        server: &str,
        method: &'static str,
        ask: impl FnOnce(Client) -> F,
    ) -> Result<T, RegistryError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let (id, server) = self.find(server)?;
        self.request_of(id, &server, method, ask).await
    }

    /// Makes one request of a server.
    pub(super) async fn request_of<T, F>(
        &self,
        id: SlotId,
        server: &Arc<Server>,
        method: &'static str,
        ask: impl FnOnce(Client) -> F,
    ) -> Result<T, RegistryError>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let name = server.config.name();
        if !server.config.is_enabled() {
            let server = name.clone();
            return Err(RegistryError::ServerDisabled { server });
        }
        let admitted = self.admit(id, name, server.config.timeout()).await?;
        let Admission { pass, client, .. } = admitted;
        let answer = ask(client).await;
        pass.end(
            answer
                .as_ref()
                .map_or_else(CallEnd::of, |_| CallEnd::Answered),
        );
        answer.map_err(|error| {
            let route = Route {
                server: name.clone(),
                tool: method.into(),
            };
            failed(route, error, false).of_reading()
        })
    }
}
