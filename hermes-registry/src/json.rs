//! One JSON value as a tree: members in their order, numbers as they stand.
//!
//! Schemas are rewritten and compared in this form, so that what is not touched comes out as it
//! went in.

use mcp_types::OrderedMap;
use serde_json::value::RawValue;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    List(Vec<Self>),
    Object(Members),
    /// A number, `true`, `false`, `null`, or a text with half a character, as it stands.
    Plain(Box<str>),
    Text(String),
}

/// The members of an object, in their order, each name once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Members(pub(crate) Vec<(String, Json)>);

/// Why a text was not taken apart.
#[derive(Debug)]
pub(crate) enum ParseError {
    /// It is not JSON, or a name of a member has half a character.
    Bad,
    /// It has more values than were allowed.
    TooMany,
}

impl Json {
    /// Takes apart a text that has at most so many values.
    pub(crate) fn parse(text: &str, mut values_max: usize) -> Result<Self, ParseError> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|_error| ParseError::Bad)?;
        Self::read(raw, &mut values_max)
    }

    /// Each level is read once for each level above it; these are at most 128.
    fn read(raw: &RawValue, values_left: &mut usize) -> Result<Self, ParseError> {
        *values_left = values_left.checked_sub(1).ok_or(ParseError::TooMany)?;
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'{') => {
                let members: OrderedMap<&RawValue> =
                    serde_json::from_str(text).map_err(|_error| ParseError::Bad)?;
                let members = members
                    .into_iter()
                    .map(|(name, value)| Ok((name, Self::read(value, values_left)?)));
                Ok(Self::Object(Members(members.collect::<Result<_, _>>()?)))
            }
            Some(b'[') => {
                let items: Vec<&RawValue> =
                    serde_json::from_str(text).map_err(|_error| ParseError::Bad)?;
                let items = items.into_iter().map(|item| Self::read(item, values_left));
                Ok(Self::List(items.collect::<Result<_, _>>()?))
            }
            Some(b'"') => match serde_json::from_str(text) {
                Ok(decoded) => Ok(Self::Text(decoded)),
                Err(_half_a_character) => Ok(Self::Plain(text.into())),
            },
            _ => Ok(Self::Plain(text.into())),
        }
    }

    pub(crate) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub(crate) fn bool(value: bool) -> Self {
        Self::Plain(if value { "true" } else { "false" }.into())
    }

    pub(crate) fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        let members = members.into_iter();
        Self::Object(Members(
            members
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        ))
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_object(&self) -> Option<&Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(crate) fn is_plain(&self, text: &str) -> bool {
        matches!(self, Self::Plain(plain) if **plain == *text)
    }

    /// How many values it is made of.
    pub(crate) fn count(&self) -> usize {
        1 + match self {
            Self::List(items) => items.iter().map(Self::count).sum(),
            Self::Object(members) => members.0.iter().map(|(_, member)| member.count()).sum(),
            Self::Plain(_) | Self::Text(_) => 0,
        }
    }

    /// The value as a text without white space, members in their order.
    pub(crate) fn dense(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, false);
        out
    }

    /// The same text for every order of members and every way to write a text.
    pub(crate) fn canonical(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, true);
        out
    }

    fn write(&self, out: &mut String, is_sorted: bool) {
        match self {
            Self::Plain(text) => out.push_str(text),
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    item.write(out, is_sorted);
                }
                out.push(']');
            }
            Self::Object(members) => {
                let mut members: Vec<&(String, Self)> = members.0.iter().collect();
                if is_sorted {
                    members.sort_by(|(one, _), (other, _)| one.cmp(other));
                }
                out.push('{');
                for (index, (name, member)) in members.into_iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    out.push_str(&quoted(name));
                    out.push(':');
                    member.write(out, is_sorted);
                }
                out.push('}');
            }
        }
    }
}

impl Members {
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        let found = self.0.iter_mut().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Gives a member this value, in its place or at the end.
    pub(crate) fn set(&mut self, name: &str, value: Json) {
        match self.get_mut(name) {
            Some(known) => *known = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Json> {
        let place = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(place).1)
    }
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_comes_out_as_it_went_in_but_for_white_space_and_escapes() {
        for (text, dense, canonical) in [
            (
                "12345678901234567890.10",
                "12345678901234567890.10",
                "12345678901234567890.10",
            ),
            (
                " { \"b\" : 1e2 , \"a\" : [ ] } ",
                r#"{"b":1e2,"a":[]}"#,
                r#"{"a":[],"b":1e2}"#,
            ),
            (
                r#"["\u00e9\/","\n",null]"#,
                r#"["é/","\n",null]"#,
                r#"["é/","\n",null]"#,
            ),
            (r#""\ud800""#, r#""\ud800""#, r#""\ud800""#),
            (
                r#"{"a":1,"b":{"d":1,"c":2},"a":3}"#,
                r#"{"b":{"d":1,"c":2},"a":3}"#,
                r#"{"a":3,"b":{"c":2,"d":1}}"#,
            ),
        ] {
            let json = Json::parse(text, 100).unwrap();
            assert_eq!(
                (json.dense(), json.canonical()),
                (dense.to_owned(), canonical.to_owned())
            );
        }
    }

    #[test]
    fn values_are_counted_up_to_a_bound() {
        let text = r#"{"a":[1,2],"b":{}}"#;
        assert_eq!(Json::parse(text, 5).unwrap().count(), 5);
        assert!(matches!(Json::parse(text, 4), Err(ParseError::TooMany)));
        assert!(matches!(Json::parse("{", 4), Err(ParseError::Bad)));
        assert!(matches!(
            Json::parse(r#"{"\ud800":1}"#, 4),
            Err(ParseError::Bad)
        ));
    }
}
