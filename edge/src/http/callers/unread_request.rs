//! A request whose caller is identified before its body is read.

use super::{Caller, Requirement};
use crate::base::refusal::Refusal;
use crate::http::linger::UnreadBody;
use axum::body::{Body, BodyDataStream};
use axum::extract::{FromRequest, FromRequestParts};
use axum::http::{HeaderMap, Request, Response, Uri};

/// A caller, and the request's address, headers and unread body. If the caller is refused, the rest of the body is
/// still received, so that the client can read the response.
pub(crate) struct UnreadRequest<C> {
    pub caller: C,
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: BodyDataStream,
}

impl<C: Caller> Caller for UnreadRequest<C> {
    const REQUIRES: Requirement = C::REQUIRES;
}

impl<C: FromRequestParts<(), Rejection = Refusal>> FromRequest<()> for UnreadRequest<C> {
    type Rejection = Response<Body>;

    async fn from_request(request: Request<Body>, (): &()) -> Result<Self, Response<Body>> {
        let (mut parts, body) = request.into_parts();
        let body = body.into_data_stream();
        match C::from_request_parts(&mut parts, &()).await {
            Ok(caller) => Ok(Self { caller, uri: parts.uri, headers: parts.headers, body }),
            Err(refusal) => Err(UnreadBody::attach_for_unknown_caller(refusal, body)),
        }
    }
}
