//! Errors of the libraries below as failures, told apart by type.

use std::error::Error;
use std::io;

use hyper_util::client::legacy;
use rustls::{AlertDescription, CertificateError, Error as TlsError};

use super::place::Place;
use crate::http::{Failure, FailureKind};

/// Why a request got no response.
pub(super) fn no_response(error: &legacy::Error, place: &Place) -> Failure {
    if let Some(failure) = find::<Failure>(error) {
        return failure.clone();
    }
    let mut failure = match find::<hyper::Error>(error) {
        Some(error) => in_http(error, place),
        None => {
            let detail = format!("no connection to {place} could be used: {error}");
            Failure::unsent(FailureKind::Broken, detail)
        }
    };
    // The pool names the connection that a request was given to; without one it was given to none.
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
    if let Some(failure) = find_tls(error).and_then(|error| refused_us(error, place)) {
        return failure;
    }
    let why = why(error);
    if error.is_parse() {
        return no_http(place, &why);
    }
    let detail = if error.is_incomplete_message() {
        format!("{place} closed the connection before its response was complete")
    } else if error.is_timeout() {
        format!("{place} no longer answers on a connection that it holds open")
    } else {
        format!("the exchange with {place} broke off: {why}")
    };
    let mut failure = Failure::maybe_sent(FailureKind::Broken, detail);
    failure.may_have_arrived = !is_unsent(error);
    failure
}

fn no_http(place: &Place, why: &str) -> Failure {
    let hint = if place.is_https {
        ""
    } else {
        "; it may speak TLS on that port"
    };
    let detail = format!("what {place} answered is no HTTP ({why}){hint}");
    Failure::maybe_sent(FailureKind::NotHttp, detail)
}

/// Whether the request is known not to have been looked at.
fn is_unsent(error: &hyper::Error) -> bool {
    // A canceled request is given back with not one byte of it written. Spec: RFC 9113, 8.7. A
    // refused stream was not looked at.
    let is_refused = find::<h2::Error>(error)
        .is_some_and(|error| error.reason() == Some(h2::Reason::REFUSED_STREAM));
    error.is_canceled() || is_refused
}

/// Names of a certificate that an error shows.
// Bound: certificates of large sites are for a hundred names.
const NAMES_MAX: usize = 5;

/// What is said of a port on which there is no TLS.
pub(super) const MAYBE_PLAIN: &str = "it may speak plain http on that port";

/// Why there is no TLS.
pub(super) fn handshake(error: &io::Error, host: &str, port: u16) -> Failure {
    let at = format!("{host}:{port}");
    let Some(tls) = find_tls(error) else {
        let detail = match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                format!("{at} closed the connection in the handshake of TLS; {MAYBE_PLAIN}")
            }
            _ => format!("the handshake of TLS with {at} broke off: {error}"),
        };
        return Failure::unsent(FailureKind::NotTls, detail);
    };
    match tls {
        TlsError::InvalidCertificate(why) => certificate(why, &at),
        TlsError::AlertReceived(alert) if is_about_us(*alert) => client_certificate(*alert, &at),
        TlsError::InvalidMessage(_) => Failure::unsent(
            FailureKind::NotTls,
            format!("what {at} answered is no TLS; {MAYBE_PLAIN}"),
        ),
        tls => Failure::unsent(
            FailureKind::Tls,
            format!("the handshake of TLS with {at} failed: {tls}"),
        ),
    }
}

fn certificate(why: &CertificateError, at: &str) -> Failure {
    use CertificateError as C;
    let (kind, said) = match why {
        C::Expired | C::ExpiredContext { .. } => {
            (FailureKind::CertificateExpired, "has expired".to_owned())
        }
        C::NotValidYet | C::NotValidYetContext { .. } => (
            FailureKind::CertificateExpired,
            "is not valid yet".to_owned(),
        ),
        C::NotValidForNameContext { presented, .. } => {
            (FailureKind::CertificateName, for_names(presented))
        }
        C::NotValidForName => (FailureKind::CertificateName, for_names(&[])),
        C::UnknownIssuer => (
            FailureKind::CertificateUntrusted,
            "was issued by itself or by an authority that is not trusted".to_owned(),
        ),
        other => (
            FailureKind::CertificateUntrusted,
            format!("is not accepted: {other}"),
        ),
    };
    Failure::unsent(kind, format!("the certificate of {at} {said}"))
}

/// For whom a certificate is, as it was found to be for others than the host that was asked for.
fn for_names(presented: &[String]) -> String {
    let names = presented.iter().take(NAMES_MAX).map(|name| {
        // As the library writes them, `DnsName("example.test")`.
        let inner = name.split_once('(').map_or(&**name, |(_kind, rest)| rest);
        inner.trim_end_matches(')').trim_matches('"')
    });
    let names: Vec<_> = names.collect();
    match (names.is_empty(), presented.len() > names.len()) {
        (true, _) => "is for no host name".to_owned(),
        (false, true) => format!("is for {} and others, not for this host", names.join(", ")),
        (false, false) => format!("is for {}, not for this host", names.join(", ")),
    }
}

/// Servers look at our certificate when for us the handshake is over, so their verdict comes with
/// the first exchange; they look at no request before it.
fn refused_us(error: &TlsError, place: &Place) -> Option<Failure> {
    match error {
        TlsError::AlertReceived(alert) if is_about_us(*alert) => {
            Some(client_certificate(*alert, &place.to_string()))
        }
        _ => None,
    }
}

fn is_about_us(alert: AlertDescription) -> bool {
    use AlertDescription as A;
    matches!(
        alert,
        A::AccessDenied
            | A::BadCertificate
            | A::CertificateExpired
            | A::CertificateRequired
            | A::CertificateRevoked
            | A::CertificateUnknown
            | A::NoCertificate
            | A::UnknownCA
            | A::UnsupportedCertificate
    )
}

fn client_certificate(alert: AlertDescription, at: &str) -> Failure {
    let detail = if alert == AlertDescription::CertificateRequired {
        format!("{at} wants a certificate of the client, and none is set")
    } else {
        format!("{at} does not accept the certificate of the client ({alert:?})")
    };
    Failure::unsent(FailureKind::ClientCertificate, detail)
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

/// The error of TLS, which an error of I/O holds without naming it as its cause.
fn find_tls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a TlsError> {
    find::<TlsError>(error).or_else(|| find::<io::Error>(error)?.get_ref()?.downcast_ref())
}
