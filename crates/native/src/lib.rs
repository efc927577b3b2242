//! Shared by the native programs: the clock, randomness, cryptography for TLS, and error messages.
//!
//! It must not depend on what a program does. Shared rules of edge and programs belong to `contract`.
#![forbid(unsafe_code)]

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns Unix time in whole seconds; 0 if the clock is before 1970.
pub fn now_unix() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns a random number from 0 to 1, for jitter. Without jitter, all programs would retry at the same moment.
pub fn random_fraction() -> f64 {
    // If the system has no randomness, every pause has its full length. That is not worth failing for.
    f64::from(getrandom::u32().unwrap_or(u32::MAX)) / f64::from(u32::MAX)
}

/// Installs the cryptography provider for TLS. reqwest is compiled without one, so no client can be created before this
/// call.
pub fn install_crypto_provider() {
    // Fails if a provider is installed already; any provider will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Formats an error followed by its causes. The outermost error alone often does not say what happened.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;
    use std::fmt;

    #[derive(Debug)]
    struct Failure(&'static str, Option<Box<Failure>>);

    impl fmt::Display for Failure {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str(self.0)
        }
    }

    impl Error for Failure {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_ref().map(|cause| &**cause as _)
        }
    }

    #[test]
    fn an_error_is_followed_by_all_its_causes() {
        let cause = |text, cause| Some(Box::new(Failure(text, cause)));
        let error = Failure("the job failed", cause("no answer", cause("connection refused", None)));
        assert_eq!(with_causes(&error), "the job failed: no answer: connection refused");
    }

    #[test]
    fn a_fraction_lies_between_0_and_1_and_differs_between_calls() {
        let fractions: Vec<f64> = (0..20).map(|_| random_fraction()).collect();
        assert!(fractions.iter().all(|fraction| (0.0..=1.0).contains(fraction)), "{fractions:?}");
        assert!(fractions.windows(2).any(|pair| pair[0].to_bits() != pair[1].to_bits()), "{fractions:?}");
    }
}
