//! Moderators and the site's back end, each by a bearer token: the operator's secret, which is compared in constant
//! time, or a named token, whose tag is checked before it is looked up by its hash.

use super::{Caller, Credential, Requirement};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::people::auth::client_network::client_network;
use crate::people::auth::hash::secrets_match;
use crate::people::auth::header::bearer_token;
use crate::people::keys::recent_keys::RecentKeys;
use crate::people::staff::access_token::AccessToken;
use crate::people::staff::tokens::{self, TokenHolder};
use crate::platform::cloudflare::rate_limit::{PERIOD_SECONDS, RateLimit};
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use contract::ErrorCode;
use contract::api::TokenRole;
use std::marker::PhantomData;
use std::pin::Pin;
use worker::send::SendFuture;

/// The name of the operator's secrets in the trail.
const OPERATOR: &str = "operator";

/// The tokens that this isolate has recently found valid. Others count against a rate of their own.
static RECENT_TOKENS: RecentKeys = RecentKeys::new();

/// The site's back end, by the service token, or 401 `service_token_invalid`.
pub(crate) struct SiteBackEnd;

/// A member of the media team whose token has a role.
///
/// 401 `admin_token_invalid`, or 403 `token_role_missing`.
pub(crate) struct Moderator<R> {
    /// The name of the token.
    pub name: String,
    role: PhantomData<fn() -> R>,
}

/// A role, as a type.
pub(crate) trait Role {
    const ROLE: TokenRole;
}

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident)+) => {
        $($(#[$doc])*
        pub(crate) struct $name;

        impl Role for $name {
            const ROLE: TokenRole = TokenRole::$name;
        })+
    };
}

roles! {
    /// Sees what moderators see.
    Look
    /// Decides about contents and channels.
    Decide
    /// Changes the blocklist.
    Blocklist
    /// Makes and ends tokens.
    Operate
    /// Reads metrics.
    Watch
}

impl Caller for SiteBackEnd {
    const REQUIRES: Requirement = Requirement::Required(Credential::ServiceToken);
}

impl<R> Caller for Moderator<R> {
    const REQUIRES: Requirement = Requirement::Required(Credential::AdminToken);
}

impl FromRequestParts<()> for SiteBackEnd {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        SendFuture::new(async {
            let holder = SERVICE.identify(&App::of(parts)?, &parts.headers).await?;
            holder.roles.contains(&TokenRole::Service).then_some(Self).ok_or_else(|| SERVICE.invalid())
        })
        .await
    }
}

impl<R: Role> FromRequestParts<()> for Moderator<R> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, (): &()) -> Result<Self, Refusal> {
        let name = name_of_moderator(App::of(parts)?, parts.headers.clone(), R::ROLE).await?;
        Ok(Self { name, role: PhantomData })
    }
}

/// Returns the name of the moderator whose token has the role. One future for all roles keeps the Worker small.
pub(super) fn name_of_moderator(
    app: App,
    headers: HeaderMap,
    role: TokenRole,
) -> Pin<Box<dyn Future<Output = Result<String, Refusal>> + Send>> {
    Box::pin(SendFuture::new(async move {
        let TokenHolder { name, roles } = ADMIN.identify(&app, &headers).await?;
        if roles.contains(&TokenRole::Service) {
            return Err(ADMIN.invalid());
        }
        roles.contains(&role).then_some(name).ok_or_else(|| {
            let detail = format!("The token does not have the role `{}`.", role.as_str());
            Refusal::new(ErrorCode::TokenRoleMissing).with_detail(detail)
        })
    }))
}

/// The operator's secrets, each with what it allows.
struct OperatorTokens {
    secrets: &'static [(&'static str, &'static [TokenRole])],
    otherwise: ErrorCode,
}

const ADMIN: OperatorTokens = OperatorTokens {
    secrets: &[
        (
            "ADMIN_TOKEN",
            &[TokenRole::Look, TokenRole::Decide, TokenRole::Blocklist, TokenRole::Operate, TokenRole::Watch],
        ),
        // A secret and no named token, because Prometheus has to see that the database is down.
        ("WATCH_TOKEN", &[TokenRole::Watch]),
    ],
    otherwise: ErrorCode::AdminTokenInvalid,
};

const SERVICE: OperatorTokens =
    OperatorTokens { secrets: &[("SERVICE_TOKEN", &[TokenRole::Service])], otherwise: ErrorCode::ServiceTokenInvalid };

impl OperatorTokens {
    fn invalid(&self) -> Refusal {
        Refusal::new(self.otherwise)
    }

    /// Returns what one of the secrets allows, or `None` if the token is none of them.
    fn roles_of(&self, presented: &str, app: &App) -> Result<Option<&'static [TokenRole]>, Refusal> {
        for (secret, roles) in self.secrets {
            if secrets_match(presented, &app.secrets().strong(secret)?) {
                return Ok(Some(roles));
            }
        }
        Ok(None)
    }

    /// Returns the holder of the token. Only made-up tokens count against the rate of their address, and cost no query.
    /// So strangers who share an address with the site or with staff cannot lock them out.
    async fn identify(&self, app: &App, headers: &HeaderMap) -> Result<TokenHolder, Refusal> {
        let presented = bearer_token(headers).ok_or_else(|| self.invalid())?;
        if let Some(roles) = self.roles_of(presented, app)? {
            return Ok(TokenHolder { name: OPERATOR.to_owned(), roles: roles.to_vec() });
        }
        let pepper = &app.settings().pepper;
        let Some(token) = AccessToken::parse(presented, pepper) else {
            let is_within = app.count(RateLimit::Address, &client_network(headers)).await;
            return Err(if is_within { self.invalid() } else { rate_limited() });
        };
        let hash = pepper.hash(token.reveal().as_bytes());
        // Whoever has a revoked token can cause queries, but only within the rate of this token.
        if !RECENT_TOKENS.contains(&hash, app.now()) && !app.count(RateLimit::Key, hash.as_str()).await {
            return Err(rate_limited());
        }
        let holder = tokens::find(&app.database()?, &hash, app.now()).await?;
        match &holder {
            Some(_) => RECENT_TOKENS.insert(&hash, app.now()),
            None => RECENT_TOKENS.remove(&hash),
        }
        holder.ok_or_else(|| self.invalid())
    }
}

fn rate_limited() -> Refusal {
    Refusal::new(ErrorCode::RateLimited).with_retry_after(PERIOD_SECONDS)
}
