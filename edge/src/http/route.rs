//! One route: the host roles that serve it, its path and method, the credential that it requires, and its handler.
//!
//! An `Operation` can only be made from a handler, and takes the required credential from the handler's arguments. So a
//! handler compiles only if it says who may call it.

use super::App;
use super::callers::{Caller, Requirement};
use super::host_role::HostRoles;
use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};

pub(super) struct Route {
    pub roles: HostRoles,
    pub path: &'static str,
    operation: Operation,
}

/// A method and its handler.
pub(super) struct Operation {
    method: &'static str,
    requirement: Requirement,
    router: MethodRouter,
}

/// The arguments of a handler: the App where the handler uses it, then the caller, then what it reads of the request.
pub(super) trait Arguments {
    type Caller: Caller;
}

// The first type is axum's marker for how the last argument is extracted.
impl<Marker, C: Caller> Arguments for (Marker, C) {
    type Caller = C;
}

impl<Marker, C: Caller> Arguments for (Marker, App, C) {
    type Caller = C;
}

impl<Marker, C: Caller, A> Arguments for (Marker, App, C, A) {
    type Caller = C;
}

impl<Marker, C: Caller, A, B> Arguments for (Marker, App, C, A, B) {
    type Caller = C;
}

impl<Marker, C: Caller, A, B, D> Arguments for (Marker, App, C, A, B, D) {
    type Caller = C;
}

pub(super) fn get<H: Handler<T, ()>, T: Arguments + 'static>(handler: H) -> Operation {
    Operation::new("GET", MethodFilter::GET, handler)
}

pub(super) fn post<H: Handler<T, ()>, T: Arguments + 'static>(handler: H) -> Operation {
    Operation::new("POST", MethodFilter::POST, handler)
}

pub(super) fn put<H: Handler<T, ()>, T: Arguments + 'static>(handler: H) -> Operation {
    Operation::new("PUT", MethodFilter::PUT, handler)
}

pub(super) fn delete<H: Handler<T, ()>, T: Arguments + 'static>(handler: H) -> Operation {
    Operation::new("DELETE", MethodFilter::DELETE, handler)
}

pub(super) fn patch<H: Handler<T, ()>, T: Arguments + 'static>(handler: H) -> Operation {
    Operation::new("PATCH", MethodFilter::PATCH, handler)
}

pub(super) fn options<H: Handler<T, ()>, T: Arguments + 'static>(handler: H) -> Operation {
    Operation::new("OPTIONS", MethodFilter::OPTIONS, handler)
}

impl Operation {
    fn new<H: Handler<T, ()>, T: Arguments + 'static>(method: &'static str, filter: MethodFilter, handler: H) -> Self {
        Self { method, requirement: T::Caller::REQUIRES, router: on(filter, handler) }
    }
}

impl Route {
    pub(super) fn new(roles: HostRoles, path: &'static str, operation: Operation) -> Self {
        Self { roles, path, operation }
    }

    #[cfg_attr(
        target_arch = "wasm32",
        expect(dead_code, reason = "for tests and the OpenAPI document, which are native")
    )]
    pub(super) fn method(&self) -> &'static str {
        self.operation.method
    }

    #[cfg_attr(
        target_arch = "wasm32",
        expect(dead_code, reason = "for tests and the OpenAPI document, which are native")
    )]
    pub(super) fn requirement(&self) -> Requirement {
        self.operation.requirement
    }

    pub(super) fn add_to(self, router: Router) -> Router {
        router.route(self.path, self.operation.router)
    }
}
