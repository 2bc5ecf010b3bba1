//! Where a server of the older transport wants messages posted.

use http::Uri;
use url::Url;

/// Resolves what the event `endpoint` says against the address of its stream.
///
/// Spec: SSE-01, SSE-05. Credentials go with every message, so another origin gets none; the
/// address holds the id of the session, so no error shows more of it than its origin.
///
/// # Errors
///
/// Why nothing is posted there, as the end of a sentence about the server.
pub(super) fn resolve(stream: &Uri, said: &str) -> Result<Uri, String> {
    let said = said.trim();
    let no_url = || "tells an address to post to that is no URL".to_owned();
    let joined = Url::parse(&stream.to_string()).and_then(|stream| {
        let endpoint = stream.join(said)?;
        Ok((stream, endpoint))
    });
    let Ok((stream, mut endpoint)) = joined else {
        return Err(no_url());
    };
    if said.is_empty() {
        return Err(no_url());
    }
    if endpoint.origin() != stream.origin() {
        let origin = endpoint.origin().ascii_serialization();
        return Err(format!(
            "wants messages posted to another origin, {origin}, than that of its stream, {}",
            stream.origin().ascii_serialization()
        ));
    }
    if !endpoint.username().is_empty() || endpoint.password().is_some() {
        return Err("tells an address to post to with a login in it".to_owned());
    }
    endpoint.set_fragment(None);
    endpoint.as_str().parse().map_err(|_not_a_uri| no_url())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(said: &str) -> Result<String, String> {
        let stream = Uri::from_static("https://server.test:8443/api/sse?key=1");
        resolve(&stream, said).map(|endpoint| endpoint.to_string())
    }

    #[test]
    fn an_endpoint_is_resolved_against_the_address_of_its_stream() {
        for (said, wanted) in [
            ("/m?sessionId=1", "https://server.test:8443/m?sessionId=1"),
            ("m?s=1", "https://server.test:8443/api/m?s=1"),
            ("?s=1", "https://server.test:8443/api/sse?s=1"),
            ("../m", "https://server.test:8443/m"),
            ("https://SERVER.test:8443/m#x", "https://server.test:8443/m"),
            ("//server.test:8443/m", "https://server.test:8443/m"),
            (" /m\n", "https://server.test:8443/m"),
        ] {
            assert_eq!(resolved(said).as_deref(), Ok(wanted), "{said:?}");
        }
    }

    #[test]
    fn an_endpoint_elsewhere_or_with_a_login_is_refused_without_showing_it() {
        for (said, why) in [
            ("https://other.test/m?s=secret", "https://other.test,"),
            ("//other.test:8443/m?s=secret", "https://other.test:8443,"),
            ("http://server.test:8443/m", "http://server.test:8443,"),
            ("https://server.test/m", "https://server.test,"),
            ("ftp://server.test:8443/m", "another origin"),
            ("javascript:alert(1)", "another origin"),
            ("https://u@server.test:8443/m", "login"),
            ("https://:secret@server.test:8443/m", "login"),
            ("http://[broken", "no URL"),
            (" ", "no URL"),
        ] {
            let refused = resolved(said).unwrap_err();
            assert!(refused.contains(why), "{said}: {refused}");
            assert!(!refused.contains("secret"), "{refused}");
        }
    }
}
