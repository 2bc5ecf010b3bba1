//! Which proxy a request goes through, decided from settings and the environment.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use url::Url;

use super::Proxy;
use super::dial::is_loopback;
use super::exempt::Exempt;
use super::place::Place;
use super::tls::misused;
use crate::http::Failure;

/// The rules by which proxies are chosen.
#[derive(Debug, Default)]
pub(super) struct Rules {
    http: Setting,
    https: Setting,
    exempt: Exempt,
}

/// A proxy, if one is set; or what is wrong with it, which matters only to those who need it.
type Setting = Option<Result<Hop, String>>;

/// A proxy on the way.
#[derive(Clone, Eq, PartialEq)]
pub(super) struct Hop {
    pub(super) speaks: Speaks,
    /// As it stands in the URL: an IPv6 address in brackets.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) login: Option<Login>,
    /// The key or the variable that names it.
    set_by: String,
}

/// How a proxy is spoken to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Speaks {
    Http,
    /// HTTP inside TLS.
    Https,
    /// SOCKS 5; names are looked up here or there.
    Socks {
        is_resolving: bool,
    },
}

/// A name and a password, percent-decoded.
#[derive(Clone, Eq, PartialEq)]
pub(super) struct Login {
    pub(super) user: Vec<u8>,
    pub(super) password: Vec<u8>,
    /// Both as HTTP wants them.
    pub(super) basic: HeaderValue,
}

/// Reads variables of the environment.
pub(super) type LookUp<'a> = dyn Fn(&str) -> Option<String> + 'a;

impl Rules {
    /// The rules of an option.
    pub(super) fn new(proxy: &Proxy, look_up: &LookUp<'_>) -> Result<Self, Failure> {
        let first = |names: &[&'static str]| {
            let mut set = names
                .iter()
                .filter_map(|name| Some((*name, look_up(name)?)));
            set.find(|(_name, value)| !value.trim().is_empty())
        };
        let exempt = || {
            let hosts = first(&["no_proxy", "NO_PROXY"]);
            Exempt::parse(&hosts.map(|(_name, hosts)| hosts).unwrap_or_default())
        };
        match proxy {
            Proxy::None => Ok(Self::default()),
            Proxy::Url(url) => {
                let hop = Hop::parse(url, "`proxy`").map_err(misused)?;
                Ok(Self {
                    http: Some(Ok(hop.clone())),
                    https: Some(Ok(hop)),
                    exempt: exempt(),
                })
            }
            Proxy::FromEnvironment => {
                let all = first(&["all_proxy", "ALL_PROXY"]);
                // A server that runs us as CGI sets this name from a header of its client.
                let is_cgi = look_up("REQUEST_METHOD").is_some();
                let http = first(if is_cgi {
                    &["http_proxy"]
                } else {
                    &["http_proxy", "HTTP_PROXY"]
                });
                let https = first(&["https_proxy", "HTTPS_PROXY"]);
                let setting = |own: Option<(&str, String)>| {
                    let (name, url) = own.or_else(|| all.clone())?;
                    Some(Hop::parse(&url, &format!("the variable {name}")))
                };
                Ok(Self {
                    http: setting(http),
                    https: setting(https),
                    exempt: exempt(),
                })
            }
        }
    }

    /// The proxy on the way to a place, if there is one.
    pub(super) fn hop(&self, place: &Place) -> Result<Option<&Hop>, Failure> {
        let setting = if place.is_https {
            &self.https
        } else {
            &self.http
        };
        let Some(setting) = setting else {
            return Ok(None);
        };
        if is_loopback(place.host()) || self.exempt.has(place.host(), place.port) {
            return Ok(None);
        }
        let hop = setting.as_ref().map_err(|why| misused(why.clone()))?;
        Ok(Some(hop))
    }
}

impl Hop {
    /// Reads the URL of a proxy, which is set by this key or variable; the error says what is
    /// wrong without showing the URL, since it may hold a password.
    fn parse(text: &str, set_by: &str) -> Result<Self, String> {
        let text = text.trim();
        let with_scheme = if text.contains("://") {
            text.to_owned()
        } else {
            format!("http://{text}")
        };
        let wrong = |why: &str| format!("{set_by} {why}");
        let url =
            Url::parse(&with_scheme).map_err(|error| wrong(&format!("is no URL: {error}")))?;
        let (speaks, port) = match url.scheme() {
            "http" => (Speaks::Http, 80),
            "https" => (Speaks::Https, 443),
            "socks5" => (
                Speaks::Socks {
                    is_resolving: false,
                },
                1080,
            ),
            "socks5h" => (Speaks::Socks { is_resolving: true }, 1080),
            scheme => {
                return Err(wrong(&format!(
                    "begins with {scheme}://, and only http, https, socks5 and socks5h are known"
                )));
            }
        };
        let host = url.host_str().unwrap_or_default();
        if host.is_empty() {
            return Err(wrong("names no host"));
        }
        Ok(Self {
            speaks,
            host: host.to_owned(),
            port: url.port().unwrap_or(port),
            login: Login::of(&url),
            set_by: set_by.to_owned(),
        })
    }

    /// Whether a request in plain HTTP is sent to it whole, instead of through it.
    pub(super) fn takes_whole_requests(&self) -> bool {
        matches!(self.speaks, Speaks::Http | Speaks::Https)
    }
}

impl Login {
    fn of(url: &Url) -> Option<Self> {
        if url.username().is_empty() && url.password().is_none() {
            return None;
        }
        let decode = |text: &str| percent_encoding::percent_decode_str(text).collect::<Vec<u8>>();
        let user = decode(url.username());
        let password = decode(url.password().unwrap_or_default());
        let pair = [&user[..], b":", &password[..]].concat();
        let mut basic = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair))).ok()?;
        basic.set_sensitive(true);
        Some(Self {
            user,
            password,
            basic,
        })
    }
}

impl fmt::Display for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} (set by {})", self.host, self.port, self.set_by)
    }
}

impl fmt::Debug for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}:{}", self.speaks, self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(variables: &[(&str, &str)]) -> Rules {
        let look_up = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Rules::new(&Proxy::FromEnvironment, &look_up).unwrap()
    }

    fn way(rules: &Rules, url: &str) -> String {
        match rules.hop(&Place::of(&url.parse().unwrap()).unwrap()) {
            Ok(Some(hop)) => format!("{hop:?}"),
            Ok(None) => "direct".to_owned(),
            Err(failure) => failure.detail,
        }
    }

    type Variables = &'static [(&'static str, &'static str)];

    /// Variables, a URL, and how it is reached.
    const WAYS: &[(Variables, &str, &str)] = &[
        (&[], "https://far.test", "direct"),
        (
            &[("https_proxy", "http://p.test:1")],
            "https://far.test",
            "Http p.test:1",
        ),
        (
            &[("https_proxy", "http://p.test:1")],
            "http://far.test",
            "direct",
        ),
        (
            &[("HTTPS_PROXY", "p.test:1")],
            "https://far.test",
            "Http p.test:1",
        ),
        (
            &[("https_proxy", "a"), ("HTTPS_PROXY", "b")],
            "https://far.test",
            "Http a:80",
        ),
        (
            &[("https_proxy", " "), ("ALL_PROXY", "b")],
            "https://far.test",
            "Http b:80",
        ),
        (
            &[("HTTP_PROXY", "https://p.test")],
            "http://far.test",
            "Https p.test:443",
        ),
        (
            &[("HTTP_PROXY", "p"), ("REQUEST_METHOD", "GET")],
            "http://far.test",
            "direct",
        ),
        (
            &[("http_proxy", "p"), ("REQUEST_METHOD", "GET")],
            "http://far.test",
            "Http p:80",
        ),
        (
            &[("all_proxy", "socks5://[fd00::1]")],
            "http://far.test",
            "Socks { is_resolving: false } [fd00::1]:1080",
        ),
        (
            &[("ALL_PROXY", "socks5h://p:9")],
            "https://far.test",
            "Socks { is_resolving: true } p:9",
        ),
        (
            &[("ALL_PROXY", "p"), ("NO_PROXY", "far.test")],
            "https://a.far.test",
            "direct",
        ),
        (
            &[("ALL_PROXY", "p"), ("no_proxy", "far.test:8")],
            "https://far.test",
            "Http p:80",
        ),
        (
            &[("ALL_PROXY", "p"), ("no_proxy", "far.test:8")],
            "https://far.test:8",
            "direct",
        ),
        (
            &[("HTTP_PROXY", "p"), ("NO_PROXY", "10.0.0.1,::2")],
            "http://[::2]:8/mcp",
            "direct",
        ),
        (
            &[("HTTP_PROXY", "p"), ("NO_PROXY", "10.0.0.1,::2")],
            "http://10.0.0.1:8/mcp",
            "direct",
        ),
        (&[("ALL_PROXY", "p")], "http://localhost:8", "direct"),
        (&[("ALL_PROXY", "p")], "http://127.9.9.9", "direct"),
        (&[("ALL_PROXY", "p")], "https://[::1]:8", "direct"),
        (&[("ALL_PROXY", "gopher://p")], "http://[::1]", "direct"),
    ];

    #[test]
    fn the_environment_decides_how_a_place_is_reached() {
        for (variables, url, expected) in WAYS {
            assert_eq!(
                way(&rules(variables), url),
                *expected,
                "{variables:?} {url}"
            );
        }
    }

    #[test]
    fn a_proxy_that_cannot_be_used_fails_only_those_who_need_it() {
        let rules = rules(&[("https_proxy", "gopher://user:hidden@p")]);
        assert_eq!(way(&rules, "http://far.test"), "direct");
        let said = way(&rules, "https://far.test");
        assert!(
            said.contains("variable https_proxy begins with gopher"),
            "{said}"
        );
        assert!(!said.contains("hidden"));
    }

    #[test]
    fn a_proxy_that_is_set_holds_for_all_but_loopback_and_the_exempt() {
        let look_up = |name: &str| (name == "NO_PROXY").then(|| "near.test".to_owned());
        let rules = Rules::new(&Proxy::Url("http://p".to_owned()), &look_up).unwrap();
        assert_eq!(way(&rules, "https://far.test"), "Http p:80");
        assert_eq!(way(&rules, "http://far.test"), "Http p:80");
        assert_eq!(way(&rules, "http://near.test"), "direct");
        assert_eq!(way(&rules, "http://app.localhost"), "direct");
        for url in ["", "ftp://p", "http://", "http://p:port"] {
            let failure = Rules::new(&Proxy::Url(url.to_owned()), &look_up).unwrap_err();
            assert!(failure.detail.starts_with("`proxy` "), "{failure}");
        }
        let rules = Rules::new(&Proxy::None, &|_name| Some("http://p".to_owned())).unwrap();
        assert_eq!(way(&rules, "https://far.test"), "direct");
    }

    #[test]
    fn a_login_of_a_proxy_is_decoded_and_shown_nowhere() {
        let hop = Hop::parse("http://user:p%40ss@p.test:1", "`proxy`").unwrap();
        assert_eq!(hop.login.as_ref().unwrap().basic, "Basic dXNlcjpwQHNz");
        assert_eq!(hop.login.as_ref().unwrap().password, b"p@ss");
        assert!(!format!("{hop:?} {hop}").contains("user"));
    }
}
