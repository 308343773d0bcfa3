//! Parameters of a request, from a query or a form: each once, as RFC 6749 says.

use std::borrow::Cow;

use guildhall_core::Secret;
use url::form_urlencoded;

use super::refused::OauthError;

/// More than any request needs.
const MOST: usize = 64;

/// The parameters of a request. One that is empty was not sent.
pub struct Parameters<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

/// How a client proves who it is: by the form alone, or by the Authorization header too.
pub struct ClientProof {
    /// The user and password of `Authorization: Basic`, still encoded as forms are; `None` without the header, and the
    /// inner `None` for one that cannot be read.
    pub basic: Option<Option<(String, Secret<String>)>>,
}

impl<'a> Parameters<'a> {
    /// Reads a query or a form.
    pub fn parse(text: &'a [u8]) -> Result<Self, OauthError> {
        let pairs: Vec<_> = form_urlencoded::parse(text).take(MOST + 1).collect();
        if pairs.len() > MOST {
            return Err(OauthError::invalid_request("There are too many parameters."));
        }
        Ok(Self(pairs))
    }

    /// The one value of a parameter.
    pub fn one(&self, name: &str) -> Result<Option<&str>, OauthError> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(OauthError::invalid_request(format!("{name}: was sent twice."))),
            (value, None) => Ok(value.filter(|value| !value.is_empty())),
        }
    }

    /// The one value of a parameter that has to be there.
    pub(crate) fn needed(&self, name: &str) -> Result<&str, OauthError> {
        self.one(name)?
            .ok_or_else(|| OauthError::invalid_request(format!("{name}: is missing.")))
    }

    /// Every value of a parameter.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(found, _)| found == name).map(|(_, value)| value.as_ref())
    }
}

/// Undoes the encoding of forms for a single word.
pub(super) fn decoded(word: &str) -> String {
    let pair = format!("x={word}");
    form_urlencoded::parse(pair.as_bytes()).next().map(|(_, word)| word.into_owned()).unwrap_or_default()
}

/// An address with parameters added to its query.
pub(super) fn with_query(address: &str, added: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in added {
        query.append_pair(name, value);
    }
    let joint = match (address.contains('?'), address.ends_with(['?', '&'])) {
        (false, _) => "?",
        (true, true) => "",
        (true, false) => "&",
    };
    format!("{address}{joint}{}", query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Parameters sent without a value MUST be treated as if they were omitted … MUST NOT be included more than once."
    #[test]
    fn a_parameter_comes_once_and_with_a_value() {
        let read = Parameters::parse(b"a=1&b=&c=x+y%26&c=2").unwrap();
        assert_eq!(read.one("a").unwrap(), Some("1"));
        assert_eq!(read.one("b").unwrap(), None);
        assert_eq!(read.one("c").unwrap_err().error, "invalid_request");
        assert_eq!(read.all("c").collect::<Vec<_>>(), ["x y&", "2"]);
        assert!(Parameters::parse("a=1&".repeat(65).as_bytes()).is_err());
    }

    #[test]
    fn what_is_added_joins_what_is_there() {
        for (address, whole) in [
            ("https://a/b", "https://a/b?code=1%262"),
            ("https://a/b?", "https://a/b?code=1%262"),
            ("https://a/b?x=y", "https://a/b?x=y&code=1%262"),
            ("cursor://cb", "cursor://cb?code=1%262"),
        ] {
            assert_eq!(with_query(address, &[("code", "1&2")]), whole);
        }
        assert_eq!(decoded("https%3A%2F%2Fa%2Fb+c"), "https://a/b c");
    }
}
