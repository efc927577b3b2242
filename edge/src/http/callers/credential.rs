//! The credentials, and which of them a caller must present.

/// The proof of a caller's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Credential {
    Session,
    ApiKey,
    DirectUploadToken,
    ServiceToken,
    AdminToken,
    DeskSession,
    OriginSignature,
}

impl Credential {
    /// The name of the credential in the OpenAPI document.
    #[cfg_attr(
        target_arch = "wasm32",
        expect(dead_code, reason = "for tests and the OpenAPI document, which are native")
    )]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::ApiKey => "api_key",
            Self::DirectUploadToken => "direct_upload_token",
            Self::ServiceToken => "service_token",
            Self::AdminToken => "admin_token",
            Self::DeskSession => "desk_session",
            Self::OriginSignature => "origin_signature",
        }
    }
}

/// The credentials that a route requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// Anyone may call the route, and credentials make no difference.
    Nothing,
    /// Anyone may call the route, and each of these credentials may show more.
    Optional(&'static [Credential]),
    Required(Credential),
    /// Any one of these credentials.
    OneOf(&'static [Credential]),
}

#[cfg(not(target_arch = "wasm32"))]
impl Requirement {
    /// Whether a caller with only this credential is accepted.
    pub(crate) fn accepts(self, credential: Credential) -> bool {
        match self {
            Self::Nothing | Self::Optional(_) => true,
            Self::Required(required) => required == credential,
            Self::OneOf(credentials) => credentials.contains(&credential),
        }
    }

    /// Whether a caller without a credential is refused.
    pub(crate) const fn is_strict(self) -> bool {
        matches!(self, Self::Required(_) | Self::OneOf(_))
    }
}

/// An extractor that fails with the right refusal unless the request presents the credential.
pub(crate) trait Caller {
    const REQUIRES: Requirement;
}
