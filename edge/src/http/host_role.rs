//! The parts of the API that a host serves. In production each host serves its own part; locally one host serves all.

/// A set of host roles: the parts of the API that a host serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostRoles(u8);

impl HostRoles {
    pub(crate) const NONE: Self = Self(0);
    /// Key management, sessions, and the routes of origins, moderators and the site's back end.
    pub(crate) const BASE: Self = Self(1);
    /// The routes that programs call with an API key.
    pub(crate) const UPLOAD: Self = Self(2);
    /// The public website.
    pub(crate) const SITE: Self = Self(4);
    /// The routes that programs and signed-in owners call, which are the same on both hosts.
    pub(crate) const OWNER: Self = Self::BASE.union(Self::UPLOAD);
    pub(crate) const ALL: Self = Self(7);
    /// The number of different sets.
    pub(crate) const SETS: usize = 8;

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns a number below `SETS` that identifies the set.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The public URLs of the three host roles.
#[derive(Clone, Debug)]
pub(super) struct PublicAddresses<Url = String> {
    pub base: Url,
    pub upload: Url,
    pub site: Url,
}

/// The addresses in the OpenAPI documents. All three differ, so that a running system can replace them with its own.
pub(super) const DOCUMENTED: PublicAddresses<&str> = PublicAddresses {
    base: "https://www.clipgate.example",
    upload: "https://upload.clipgate.example",
    site: "https://clipgate.example",
};

impl PublicAddresses {
    /// Replaces the addresses in an OpenAPI document with these.
    pub(super) fn name_in(&self, document: &str) -> String {
        let pairs = [(DOCUMENTED.base, &self.base), (DOCUMENTED.upload, &self.upload), (DOCUMENTED.site, &self.site)];
        let own =
            |text: String, (documented, own): (&str, &String)| text.replace(documented, own.trim_end_matches('/'));
        pairs.into_iter().fold(document.to_owned(), own)
    }

    /// Returns each URL's `host[:port]`.
    pub(super) fn hosts(&self) -> Vec<String> {
        [&self.base, &self.upload, &self.site].map(|url| host_of(url).to_owned()).to_vec()
    }

    /// Returns the web origin of a host. All three URLs have the same scheme.
    pub(super) fn origin_at(&self, host: &str) -> String {
        let scheme = self.base.split_once("://").map_or("https", |(scheme, _)| scheme);
        format!("{scheme}://{host}")
    }

    /// Returns the URL of the host that serves these roles. A path that every host serves is named without one.
    pub(super) fn url_of(&self, roles: HostRoles) -> &str {
        match roles {
            HostRoles::BASE => &self.base,
            HostRoles::UPLOAD | HostRoles::OWNER => &self.upload,
            HostRoles::SITE => &self.site,
            _ => "",
        }
    }

    /// Returns the roles of a host, given with its port if it has one.
    pub(super) fn roles_of(&self, host: &str) -> HostRoles {
        let roles = [(&self.base, HostRoles::BASE), (&self.upload, HostRoles::UPLOAD), (&self.site, HostRoles::SITE)];
        let served = roles.into_iter().filter(|(url, _)| is_same_host(host_of(url), host));
        served.fold(HostRoles::NONE, |set, (_, role)| set.union(role))
    }
}

/// Returns the `host[:port]` of a URL.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default()
}

/// Whether two hosts are equal, or both are names of the local machine with the same port.
fn is_same_host(left: &str, right: &str) -> bool {
    let (left_name, left_port) = split_port(left);
    let (right_name, right_port) = split_port(right);
    let loopback = is_loopback(left_name) && is_loopback(right_name);
    left_port == right_port && (loopback || left_name.eq_ignore_ascii_case(right_name))
}

fn split_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(port)),
        _ => (host, None),
    }
}

/// Whether a `host[:port]` is the local machine.
pub(super) fn is_loopback_host(host: &str) -> bool {
    is_loopback(split_port(host).0)
}

fn is_loopback(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn production() -> PublicAddresses {
        PublicAddresses {
            base: "https://www.example".to_owned(),
            upload: "https://upload.example/".to_owned(),
            site: "https://www.example".to_owned(),
        }
    }

    #[test]
    fn each_host_serves_its_own_part_and_an_unknown_host_serves_none() {
        let addresses = production();
        assert_eq!(addresses.roles_of("upload.example"), HostRoles::UPLOAD);
        assert_eq!(addresses.roles_of("WWW.example"), HostRoles::BASE.union(HostRoles::SITE));
        for unknown in ["example", "upload.example.evil", "localhost", "", "upload.example:8443"] {
            assert_eq!(addresses.roles_of(unknown), HostRoles::NONE, "{unknown}");
        }
    }

    #[test]
    fn a_document_names_the_addresses_of_the_system_that_serves_it() {
        let document = format!("{} {}/a {}", DOCUMENTED.base, DOCUMENTED.upload, DOCUMENTED.site);
        let addresses = PublicAddresses { site: "http://127.0.0.1:8787".to_owned(), ..production() };
        assert_eq!(addresses.name_in(&document), "https://www.example https://upload.example/a http://127.0.0.1:8787");
    }

    #[test]
    fn the_own_origin_is_the_origin_of_the_requested_host() {
        assert_eq!(production().origin_at("www.example"), "https://www.example");
    }

    #[test]
    fn locally_one_port_serves_everything_under_each_name_of_the_machine() {
        let local = "http://127.0.0.1:8787".to_owned();
        let addresses = PublicAddresses { base: local.clone(), upload: local.clone(), site: local };
        for name in ["127.0.0.1:8787", "localhost:8787", "[::1]:8787"] {
            assert_eq!(addresses.roles_of(name), HostRoles::ALL, "{name}");
        }
        assert_eq!(addresses.roles_of("localhost:8788"), HostRoles::NONE);
    }
}
