//! Anyone: the caller of public routes.

use super::{Caller, Requirement};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::convert::Infallible;

/// Any caller, with or without a credential.
pub(crate) struct Anyone;

impl Caller for Anyone {
    const REQUIRES: Requirement = Requirement::Nothing;
}

impl FromRequestParts<()> for Anyone {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, (): &()) -> Result<Self, Infallible> {
        Ok(Self)
    }
}
