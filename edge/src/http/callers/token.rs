//! Moderators and the site's back end, each by a bearer token: the operator's secret, which is compared in constant
//! time, or a named token, whose tag is checked before it is looked up by its hash. A moderator's browser may send the
//! cookie of the desk instead, from a page of this host.

use super::session::require_own_page;
use super::{Caller, Credential, Requirement};
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::moderation::review_address::ReviewAddresses;
use crate::people::auth::client_network::client_network;
use crate::people::auth::hash::{KeyedHash, secrets_match};
use crate::people::auth::header::bearer_token;
use crate::people::keys::recent_keys::RecentKeys;
use crate::people::staff::access_token::{AccessToken, SecretKind};
use crate::people::staff::desk_sessions;
use crate::people::staff::tokens::{self, HeldSession, HeldToken, TokenHolder};
use crate::platform::cloudflare::rate_limit::{PERIOD_SECONDS, RateLimit};
use axum::extract::FromRequestParts;
use axum::http::header::{AUTHORIZATION, COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
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
/// 401 `admin_token_invalid`, or 403 `token_role_missing`. With the cookie of the desk also 403 `csrf_rejected` and 415
/// `json_content_type_required`.
pub(crate) struct Moderator<R> {
    /// The name of the token.
    pub name: String,
    pub roles: Vec<TokenRole>,
    /// The named token. The operator's secrets have none.
    pub token: Option<HeldToken>,
    /// The session at the desk that presents the token.
    pub session: Option<HeldSession>,
    role: PhantomData<fn() -> R>,
}

impl<R> Moderator<R> {
    /// Returns the generator of addresses at which this moderator sees files.
    pub(crate) fn review_addresses<'a>(&self, app: &'a App) -> ReviewAddresses<'a> {
        app.review_addresses(self.session.map(|session| session.id))
    }
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
    const REQUIRES: Requirement = Requirement::OneOf(&[Credential::AdminToken, Credential::DeskSession]);
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
        let holder = holder_with_role(App::of(parts)?, parts.method.clone(), parts.headers.clone(), R::ROLE).await?;
        let TokenHolder { name, roles, token, session } = holder;
        Ok(Self { name, roles, token, session, role: PhantomData })
    }
}

/// Whether a request without the header `Authorization` has the cookie of the desk.
fn is_of_desk(headers: &HeaderMap) -> bool {
    let has_cookie = || headers.get_all(COOKIE).iter().any(|value| desk_sessions::is_in_cookies(value.as_bytes()));
    !headers.contains_key(AUTHORIZATION) && has_cookie()
}

/// Returns the moderator whose token has the role. One future for all roles keeps the Worker small.
pub(super) fn holder_with_role(
    app: App,
    method: Method,
    headers: HeaderMap,
    role: TokenRole,
) -> Pin<Box<dyn Future<Output = Result<TokenHolder, Refusal>> + Send>> {
    Box::pin(SendFuture::new(async move {
        let holder = if is_of_desk(&headers) {
            require_own_page(&method, &headers, &app.own_origin(), false)?;
            identify_by_cookie(&app, &headers).await?
        } else {
            ADMIN.identify(&app, &headers).await?
        };
        if holder.roles.contains(&TokenRole::Service) {
            return Err(ADMIN.invalid());
        }
        holder.roles.contains(&role).then_some(holder).ok_or_else(|| {
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
            let (name, roles) = (OPERATOR.to_owned(), roles.to_vec());
            return Ok(TokenHolder { name, roles, token: None, session: None });
        }
        let pepper = &app.settings().pepper;
        let Some(token) = AccessToken::parse(SecretKind::NamedToken, presented, pepper) else {
            return Err(made_up(app, headers, self.otherwise).await);
        };
        let hash = count_unless_recent(app, &token).await?;
        let holder = tokens::find(&app.database()?, &hash, app.now()).await?;
        remember(app, &hash, holder).ok_or_else(|| self.invalid())
    }
}

/// Returns the holder of the token that the desk's cookie stands for.
async fn identify_by_cookie(app: &App, headers: &HeaderMap) -> Result<TokenHolder, Refusal> {
    let pepper = &app.settings().pepper;
    let mut cookies = headers.get_all(COOKIE).iter();
    let secret = cookies.find_map(|value| desk_sessions::secret_in_cookies(value.as_bytes(), pepper));
    let Some(secret) = secret else {
        return Err(made_up(app, headers, ADMIN.otherwise).await);
    };
    let hash = count_unless_recent(app, &secret).await?;
    let holder = desk_sessions::find(&app.database()?, &hash, app.now()).await?;
    remember(app, &hash, holder).ok_or_else(|| ADMIN.invalid())
}

/// Returns the refusal for a secret that the service has not made.
async fn made_up(app: &App, headers: &HeaderMap, otherwise: ErrorCode) -> Refusal {
    let is_within = app.count(RateLimit::Address, &client_network(headers)).await;
    if is_within { Refusal::new(otherwise) } else { rate_limited() }
}

/// Returns the hash of a secret. Whoever has a revoked one can cause queries, but only within the rate of this secret.
async fn count_unless_recent(app: &App, secret: &AccessToken) -> Result<KeyedHash, Refusal> {
    let hash = app.settings().pepper.hash(secret.reveal().as_bytes());
    let is_within = RECENT_TOKENS.contains(&hash, app.now()) || app.count(RateLimit::Key, hash.as_str()).await;
    is_within.then_some(hash).ok_or_else(rate_limited)
}

/// Remembers whether the secret is valid.
fn remember(app: &App, hash: &KeyedHash, holder: Option<TokenHolder>) -> Option<TokenHolder> {
    match &holder {
        Some(_) => RECENT_TOKENS.insert(hash, app.now()),
        None => RECENT_TOKENS.remove(hash),
    }
    holder
}

fn rate_limited() -> Refusal {
    Refusal::new(ErrorCode::RateLimited).with_retry_after(PERIOD_SECONDS)
}
