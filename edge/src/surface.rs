//! Which part of the interface a host shows: in production each host only its own, locally one host all.

/// A set of parts of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surfaces(u8);

impl Surfaces {
    pub const NONE: Self = Self(0);
    /// Key management, sessions and the service's own endpoints.
    pub const BASE: Self = Self(1);
    /// What programs call with an API key.
    pub const UPLOAD: Self = Self(2);
    /// The public website.
    pub const SITE: Self = Self(4);
    /// How many sets there are.
    pub const SETS: usize = 8;

    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// A number below `SETS` that names the set.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The three public addresses.
#[derive(Clone, Debug)]
pub struct Addresses {
    pub base: String,
    pub upload: String,
    pub site: String,
}

impl Addresses {
    /// The origin of a page of that host: all three addresses have one scheme.
    pub fn origin_at(&self, host: &str) -> String {
        let scheme = self
            .base
            .split_once("://")
            .map_or("https", |(scheme, _)| scheme);
        format!("{scheme}://{host}")
    }

    /// What the host (with its port, if it has one) of a request shows.
    pub fn surfaces_of(&self, host: &str) -> Surfaces {
        let parts = [
            (&self.base, Surfaces::BASE),
            (&self.upload, Surfaces::UPLOAD),
            (&self.site, Surfaces::SITE),
        ];
        let shown = parts
            .into_iter()
            .filter(|(address, _)| same_host(host_of(address), host));
        shown.fold(Surfaces::NONE, |all, (_, part)| all.union(part))
    }
}

/// The `host[:port]` of an address.
fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default()
}

/// Equal, or two names of this very machine at one port.
fn same_host(left: &str, right: &str) -> bool {
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

fn is_loopback(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn production() -> Addresses {
        Addresses {
            base: "https://www.example".to_owned(),
            upload: "https://upload.example/".to_owned(),
            site: "https://www.example".to_owned(),
        }
    }

    #[test]
    fn each_host_shows_its_own_part_and_a_stranger_none() {
        let addresses = production();
        assert_eq!(addresses.surfaces_of("upload.example"), Surfaces::UPLOAD);
        assert_eq!(
            addresses.surfaces_of("WWW.example"),
            Surfaces::BASE.union(Surfaces::SITE)
        );
        for stranger in [
            "example",
            "upload.example.evil",
            "localhost",
            "",
            "upload.example:8443",
        ] {
            assert_eq!(
                addresses.surfaces_of(stranger),
                Surfaces::NONE,
                "{stranger}"
            );
        }
    }

    #[test]
    fn the_own_origin_is_that_of_the_host_that_was_asked() {
        assert_eq!(production().origin_at("www.example"), "https://www.example");
    }

    #[test]
    fn locally_one_port_shows_everything_under_each_name_of_the_machine() {
        let local = "http://127.0.0.1:8787".to_owned();
        let addresses = Addresses {
            base: local.clone(),
            upload: local.clone(),
            site: local,
        };
        for name in ["127.0.0.1:8787", "localhost:8787", "[::1]:8787"] {
            assert_eq!(addresses.surfaces_of(name).index(), 7, "{name}");
        }
        assert_eq!(addresses.surfaces_of("localhost:8788"), Surfaces::NONE);
    }
}
