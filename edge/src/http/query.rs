//! Reads the query of a URL.

use super::named_values::{Kind, NamedValues, read};
use crate::base::refusal::Refusal;
use crate::base::unknown_fields::UnknownFields;
use axum::extract::Query;
use axum::http::Uri;
use contract::mistake::Received;
use serde::de::DeserializeOwned;

/// Returns the query parameters, or 400 `request_malformed` if one is unknown, invalid, missing or duplicate.
pub(super) fn read_query<T: DeserializeOwned>(unknown: &UnknownFields, uri: &Uri) -> Result<T, Refusal> {
    let pairs = pairs(uri);
    let values: NamedValues<'_> = pairs.iter().map(|(name, text)| (name.clone(), Received::Text(text))).collect();
    read(&values, Kind::Parameters(unknown))
}

/// Returns 400 `request_malformed` if the query has a parameter that is not among these.
pub(super) fn require_known(unknown: &UnknownFields, uri: &Uri, known: &[&'static str]) -> Result<(), Refusal> {
    let pairs = pairs(uri);
    let mut names = pairs.iter().map(|(name, _)| name.as_str()).filter(|name| !known.contains(name));
    names.try_for_each(|name| unknown.take_parameter(name, known))
}

fn pairs(uri: &Uri) -> Vec<(String, String)> {
    Query::try_from_uri(uri).map(|Query(pairs)| pairs).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::ErrorCode;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    struct Parameters {
        #[expect(dead_code, reason = "only whether it can be read matters")]
        limit: Option<u32>,
    }

    fn detail(query: &str) -> Option<String> {
        let uri = format!("/?{query}").parse().unwrap();
        let refusal = read_query::<Parameters>(&UnknownFields::default(), &uri).err()?;
        assert_eq!(refusal.code, ErrorCode::RequestMalformed);
        refusal.detail
    }

    #[test]
    fn a_duplicate_parameter_is_named() {
        assert_eq!(detail("limit=1&limit=1").unwrap(), "Duplicate `limit`. Send it once.");
    }

    #[test]
    fn an_invalid_parameter_is_refused() {
        assert!(detail("limit=x").unwrap().starts_with("`limit` is `x`. Send a whole number"));
        assert_eq!(detail("limit=1"), None);
        assert_eq!(detail(""), None);
    }

    #[test]
    fn an_unknown_parameter_is_refused_by_its_name_or_ignored_as_often_as_it_is_sent() {
        assert!(detail("limits=5").unwrap().starts_with("Unknown query parameter `limits`. Did you mean `limit`?"));
        assert!(detail("limit=1&more=1").unwrap().starts_with("Unknown query parameter `more`."));
        let uri = "/?limit=1&more=1&more=2".parse().unwrap();
        assert!(read_query::<Parameters>(&UnknownFields::ignoring(), &uri).is_ok());
    }
}
