//! The list of routes in `docs/routes.txt`, which shows every change of who may call what.

use crate::http::callers::{Credential, Requirement};
use crate::http::host_role::HostRoles;
use crate::http::route::Route;
use crate::http::routes::table;

/// Returns a line for each route: its method, its path, the host roles that serve it, and the credentials that it
/// requires, or accepts if a question mark follows.
pub fn route_list() -> String {
    let routes = table().into_iter().filter(|route| !route.path.starts_with("/dev/"));
    routes.map(|route| line(&route)).collect()
}

fn line(route: &Route) -> String {
    let credentials = match route.requirement() {
        Requirement::Nothing => "-".to_owned(),
        Requirement::Required(credential) => credential.name().to_owned(),
        Requirement::OneOf(credentials) => {
            credentials.iter().map(|credential| credential.name()).collect::<Vec<_>>().join("|")
        }
        Requirement::Optional(credentials) => credentials.iter().copied().map(optional).collect::<Vec<_>>().join(" "),
    };
    format!("{} {} {} {credentials}\n", route.method(), route.path, name(route.roles))
}

fn name(roles: HostRoles) -> &'static str {
    match roles {
        HostRoles::ALL => "all",
        HostRoles::BASE => "base",
        HostRoles::UPLOAD => "upload",
        HostRoles::SITE => "site",
        HostRoles::OWNER => "base|upload",
        _ => "several",
    }
}

fn optional(credential: Credential) -> String {
    format!("{}?", credential.name())
}
