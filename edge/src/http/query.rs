//! Reads the query of a URL.

use crate::refusal::Refusal;
use axum::extract::Query;
use axum::http::Uri;
use serde::de::DeserializeOwned;
use std::collections::HashSet;

/// Returns the query parameters, or 400 `request_malformed` if one is invalid or duplicate.
pub(super) fn read_query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Refusal> {
    let query = Query::try_from_uri(uri).map(|Query(parameters)| parameters);
    query.map_err(|_| {
        Refusal::malformed(match duplicate_parameter(uri) {
            Some(name) => format!("Duplicate query parameter `{name}`. Send it once."),
            None => {
                "A query parameter is invalid. Compare the query with the documentation of this endpoint.".to_owned()
            }
        })
    })
}

fn duplicate_parameter(uri: &Uri) -> Option<String> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    let mut seen = HashSet::new();
    pairs.into_iter().map(|(name, _)| name).find(|name| !seen.insert(name.clone()))
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
        let refusal = read_query::<Parameters>(&uri).err()?;
        assert_eq!(refusal.code, ErrorCode::RequestMalformed);
        refusal.detail
    }

    #[test]
    fn a_duplicate_parameter_is_named() {
        assert_eq!(detail("limit=1&limit=1").unwrap(), "Duplicate query parameter `limit`. Send it once.");
    }

    #[test]
    fn an_invalid_parameter_is_refused_and_an_unknown_one_ignored() {
        assert!(detail("limit=x").unwrap().starts_with("A query parameter is invalid."));
        assert_eq!(detail("limit=1&more=1&more=2"), None);
    }
}
