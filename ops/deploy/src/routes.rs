//! The routes of the hosts that the Worker shares with the site.

use crate::environment::Environment;
use contract::paths;

/// The paths on the site's host that the Worker answers. The site keeps all others. A path that ends with a slash
/// includes everything below it.
const SITE_PATHS: [&str; 10] = [
    paths::PAGE,
    paths::EMBED,
    paths::MEDIA,
    paths::SCRIPTS,
    paths::OEMBED,
    paths::SITEMAP,
    paths::SITEMAP_PARTS,
    paths::DOCS,
    paths::DOCS_FILES,
    paths::REPORT_PAGE,
];
/// The paths on the host of the base address that the Worker answers.
const BASE_PATHS: [&str; 8] = [
    paths::KEY_MANAGEMENT,
    paths::DEVELOPER,
    paths::CONSOLE,
    paths::CONSOLE_FILES,
    paths::DESK,
    paths::DESK_FILES,
    paths::INTERNAL,
    paths::HEALTH,
];

/// Returns the routes of the hosts that the Worker shares with the site.
pub(crate) fn route_patterns(environment: &Environment) -> Vec<String> {
    let on = |host: &str, path: &str| format!("{host}{path}{}", if path.ends_with('/') { "*" } else { "" });
    let base = BASE_PATHS.iter().map(|path| on(&environment.base_host, path));
    base.chain(SITE_PATHS.iter().map(|path| on(&environment.site_host, path))).collect()
}

#[cfg(test)]
mod tests {
    use super::{BASE_PATHS, SITE_PATHS, paths};

    /// The Worker's table of routes, which `make docs` writes and a test of the Worker compares.
    const ROUTES: &str = include_str!("../../../docs/routes.txt");
    /// Routes that a deployed Worker does not get on a shared host: the site has its own, and the OpenAPI document is
    /// on the host for uploads.
    const LEFT_TO_THE_SITE: [&str; 5] =
        [paths::FRONT_PAGE, paths::ROBOTS, paths::ICON, paths::OLD_ICON, paths::OPENAPI];

    fn covers(path: &str, route: &str) -> bool {
        if path.ends_with('/') { route.starts_with(path) } else { route == path }
    }

    /// Returns the path of each route of the Worker with the host that serves it.
    fn routes() -> impl Iterator<Item = (&'static str, &'static str)> {
        ROUTES.lines().map(|line| {
            let mut words = line.split(' ').skip(1);
            (words.next().expect("a path"), words.next().expect("a host"))
        })
    }

    #[test]
    fn every_route_of_a_shared_host_reaches_the_worker() {
        for (route, host) in routes() {
            let deployed: &[&str] = match host {
                "upload" => continue,
                "base" | "base|upload" | "all" => &BASE_PATHS,
                "site" => &SITE_PATHS,
                other => panic!("{route} is on {other}"),
            };
            let is_deployed = deployed.iter().any(|path| covers(path, route));
            assert_ne!(is_deployed, LEFT_TO_THE_SITE.contains(&route), "{route} on the host {host}");
        }
    }

    #[test]
    fn every_deployed_path_has_a_route_of_the_worker() {
        let serves = |path: &&str| routes().any(|(route, host)| host != "upload" && covers(path, route));
        let idle: Vec<_> = BASE_PATHS.iter().chain(&SITE_PATHS).filter(|path| !serves(path)).collect();
        assert!(idle.is_empty(), "{idle:?}");
    }
}
