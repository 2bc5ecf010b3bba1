//! Which redirects are followed.
//!
//! Spec: T-30. Only 307 and 308 keep the method and the body, and nothing that carries credentials
//! goes to another origin.

use http::{HeaderMap, StatusCode, Uri, header};
use url::Url;

/// What a response says about where to go.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Redirect {
    /// It is none.
    None,
    /// The request belongs here, with its method and its body.
    To(Uri),
    /// It is one that is not followed, for this reason.
    Refused(String),
}

/// Decides by the head of the response to a request to `from`.
pub(super) fn follow(from: &Uri, status: StatusCode, headers: &HeaderMap) -> Redirect {
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Redirect::None;
    }
    let location = headers
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok());
    let Some(location) = location else {
        return Redirect::Refused(format!(
            "the server answered {status} without saying where to"
        ));
    };
    let joined = Url::parse(&from.to_string()).and_then(|from| {
        let to = from.join(location)?;
        Ok((from, to))
    });
    let Ok((from, to)) = joined else {
        return Redirect::Refused(format!("the server redirects to what is no URL ({status})"));
    };
    if from.origin() != to.origin() {
        let origin = to.origin().ascii_serialization();
        return Redirect::Refused(format!(
            "the server redirects to another origin, {origin}; if that is right, write it as the url"
        ));
    }
    let path = to.path();
    if !matches!(status.as_u16(), 307 | 308) {
        return Redirect::Refused(format!(
            "the server redirects to {path} with {status}, which loses the message; write that as \
             the url"
        ));
    }
    match to.as_str().parse() {
        Ok(to) => Redirect::To(to),
        Err(_not_a_uri) => Redirect::Refused(format!("the server redirects to {path}, no URL")),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn decide(status: u16, location: Option<&str>) -> Redirect {
        let mut headers = HeaderMap::new();
        if let Some(location) = location {
            headers.insert(header::LOCATION, HeaderValue::from_str(location).unwrap());
        }
        let from = Uri::from_static("http://example.test:8080/mcp?x=1");
        follow(&from, StatusCode::from_u16(status).unwrap(), &headers)
    }

    #[test]
    fn the_same_origin_is_followed_with_the_method_kept() {
        for status in [307, 308] {
            for (location, wanted) in [
                ("/mcp/", "http://example.test:8080/mcp/"),
                ("sse", "http://example.test:8080/sse"),
                ("http://EXAMPLE.test:8080/x", "http://example.test:8080/x"),
            ] {
                let to = Redirect::To(wanted.parse().unwrap());
                assert_eq!(decide(status, Some(location)), to);
            }
        }
    }

    #[test]
    fn what_would_lose_the_message_or_leave_the_origin_is_not() {
        let rows = [
            (301, Some("/mcp/"), "/mcp/"),
            (302, Some("/mcp/"), "/mcp/"),
            (303, Some("/mcp/"), "/mcp/"),
            (307, None, "without"),
            (307, Some("http://other.test/mcp"), "http://other.test"),
            (
                308,
                Some("https://example.test:8080/mcp"),
                "https://example.test",
            ),
            (307, Some("http://[broken"), "no URL"),
        ];
        for (status, location, wanted) in rows {
            let Redirect::Refused(why) = decide(status, location) else {
                panic!("{status} {location:?} was followed")
            };
            assert!(why.contains(wanted), "{why}");
        }
    }

    #[test]
    fn other_answers_are_none() {
        for status in [200, 202, 304, 400, 404] {
            assert_eq!(decide(status, Some("/mcp/")), Redirect::None);
        }
    }
}
