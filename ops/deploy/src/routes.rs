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
const BASE_PATHS: [&str; 3] = [paths::KEY_MANAGEMENT, paths::INTERNAL, paths::HEALTH];

/// Returns the routes of the hosts that the Worker shares with the site.
pub(crate) fn route_patterns(environment: &Environment) -> Vec<String> {
    let on = |host: &str, path: &str| format!("{host}{path}{}", if path.ends_with('/') { "*" } else { "" });
    let base = BASE_PATHS.iter().map(|path| on(&environment.base_host, path));
    base.chain(SITE_PATHS.iter().map(|path| on(&environment.site_host, path))).collect()
}
