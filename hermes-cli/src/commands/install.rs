//! `hermes mcp install NAME`: a known server, with the values that it needs.
//!
//! How it is checked and written is for `add`.

use std::collections::BTreeMap;

use hermes_registry::config::ServerEntry;
use hermes_registry::known::{self, KnownServer, Need};
use hermes_registry::nearest::nearest_few;

use super::add::{Plan, check_name, pairs, plan_entry};
use super::catalog::about;
use crate::args::{Install, Writing};
use crate::ask;
use crate::failure::Failure;
use crate::settings::Settings;

/// Names that an error proposes instead of an unknown one.
const NEAREST_MAX: usize = 3;

/// A known server, with the values that are there already.
#[derive(Debug)]
pub(crate) struct Order {
    known: KnownServer,
    values: BTreeMap<String, String>,
    writing: Writing,
}

/// What is to be installed.
///
/// # Errors
///
/// If there is no such server, if its name is taken, or if a value is lacking that nobody can be
/// asked for.
pub(crate) fn order(args: &Install, settings: &Settings) -> Result<Order, Failure> {
    let known = find(&args.name)?;
    check_name(known.name, args.writing, settings)?;
    let values: BTreeMap<String, String> = pairs("env", &args.env, '=')?.into_iter().collect();
    let names: Vec<&str> = known.needs.iter().map(|need| need.name.as_str()).collect();
    if let Some(unknown) = values.keys().find(|name| !names.contains(&name.as_str())) {
        let suggestion = match names.as_slice() {
            [] => "leave it out".to_owned(),
            names => format!("it needs {}", names.join(", ")),
        };
        let message = format!("`{}` needs no `{unknown}`", known.name);
        return Err(Failure::usage("usage", message, suggestion));
    }
    let missing = missing(&known, &values);
    if !missing.is_empty() && !ask::is_possible(settings) {
        return Err(lacks(&known, &missing));
    }
    Ok(Order {
        values,
        writing: args.writing,
        known,
    })
}

/// What is to be done to install it, once a person has given what is missing.
///
/// # Errors
///
/// If a value is still missing.
pub(crate) async fn plan(order: &Order, settings: &Settings) -> Result<Plan, Failure> {
    let Order { known, writing, .. } = order;
    let mut values = order.values.clone();
    for need in missing(known, &values) {
        let prompt = format!("{}: ", about(need));
        let answer = if need.is_secret {
            ask::secret(&prompt).await?
        } else {
            ask::line(&prompt).await?
        };
        match answer.filter(|answer| !answer.is_empty()) {
            Some(answer) => values.insert(need.name.clone(), answer),
            None => return Err(lacks(known, &[need])),
        };
    }
    let mut plan = plan_entry(known.entry(&values), *writing, settings)?;
    let left = known.needs.iter();
    for need in left.filter(|need| !values.contains_key(&need.name)) {
        let name = &need.name;
        plan.hints.push(format!(
            "the entry refers to the variable {name}, which has to be set wherever the server is used"
        ));
    }
    Ok(plan)
}

/// The entry of a known server under another name, and the values that it does not need.
///
/// # Errors
///
/// If there is no such server, or if a value is lacking.
pub(super) fn preset(
    name: &str,
    preset: &str,
    env: Vec<(String, String)>,
) -> Result<(ServerEntry, Vec<(String, String)>), Failure> {
    let known = find(preset)?;
    let is_needed = |name: &str| known.needs.iter().any(|need| need.name == name);
    let (values, env): (Vec<_>, Vec<_>) = env.into_iter().partition(|(name, _)| is_needed(name));
    let values: BTreeMap<String, String> = values.into_iter().collect();
    match missing(&known, &values).as_slice() {
        [] => Ok((known.entry(&values).with_name(name), env)),
        missing => Err(lacks(&known, missing)),
    }
}

fn find(name: &str) -> Result<KnownServer, Failure> {
    known::find(name).ok_or_else(|| {
        let all = known::all();
        let names = all.iter().map(|known| known.name);
        let nearest = nearest_few(name, names, NEAREST_MAX);
        let nearest: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
        let suggestion = match nearest.as_slice() {
            [] => "`hermes mcp catalog` lists those that are".to_owned(),
            nearest => format!("did you mean {}?", nearest.join(" or ")),
        };
        let message = format!("no server is known as `{name}`");
        Failure::usage("unknown_server", message, suggestion)
    })
}

/// What a server needs and is neither given nor in a variable.
fn missing<'k>(known: &'k KnownServer, values: &BTreeMap<String, String>) -> Vec<&'k Need> {
    let is_set = |name: &str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    let needs = known.needs.iter();
    needs
        .filter(|need| !values.contains_key(&need.name) && !is_set(&need.name))
        .collect()
}

fn lacks(known: &KnownServer, missing: &[&Need]) -> Failure {
    let told: Vec<String> = missing.iter().map(|need| about(need)).collect();
    let options = missing
        .iter()
        .map(|need| format!("`--env {}=…`", need.name));
    let options: Vec<String> = options.collect();
    Failure::usage(
        "missing_values",
        format!("`{}` needs {}", known.name, told.join(", and ")),
        format!("give {}, or set the variable", options.join(" ")),
    )
}
