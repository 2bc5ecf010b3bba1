//! Errors of the libraries below as failures, told apart by type.

use std::error::Error;
use std::io;

use hyper_util::client::legacy;

use super::place::Place;
use crate::http::{Failure, FailureKind};

/// Why a request got no response.
pub(super) fn no_response(error: &legacy::Error, place: &Place) -> Failure {
    if let Some(failure) = find::<Failure>(error) {
        return failure.clone();
    }
    // The pool tells which connection a request was given to; without one it was given to none.
    let mut failure = match find::<hyper::Error>(error) {
        Some(error) => in_http(error, place),
        None => {
            let detail = format!("no connection to {place} could be used: {error}");
            Failure::unsent(FailureKind::Broken, detail)
        }
    };
    failure.may_have_arrived &= error.connect_info().is_some();
    failure
}

/// Why a body broke off.
pub(super) fn broken_body(error: &hyper::Error, place: &Place) -> Failure {
    let mut failure = in_http(error, place);
    failure.may_have_arrived = true;
    failure
}

fn in_http(error: &hyper::Error, place: &Place) -> Failure {
    if error.is_user() && !error.is_body_write_aborted() {
        let detail = format!("the request to {place} cannot be made: {error}");
        return Failure::unsent(FailureKind::Misused, detail);
    }
    let why = why(error);
    let detail = if error.is_parse() {
        format!("what {place} answered is no HTTP: {why}")
    } else if error.is_incomplete_message() {
        format!("{place} closed the connection before its response was complete")
    } else {
        format!("the exchange with {place} broke off: {why}")
    };
    let mut failure = Failure::maybe_sent(FailureKind::Broken, detail);
    // These are given back by the pool with the request, of which not one byte was written.
    failure.may_have_arrived = !error.is_canceled();
    failure
}

/// The innermost cause, which says most.
fn why(error: &hyper::Error) -> String {
    if let Some(io) = find::<io::Error>(error) {
        return io.to_string();
    }
    let mut cause: &dyn Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

/// The first cause of a type.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        cause = error.source();
    }
    None
}
