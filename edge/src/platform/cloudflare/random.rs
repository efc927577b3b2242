//! Randomness from the platform.

use crate::platform::entropy::Entropy;

pub(crate) struct PlatformEntropy;

impl Entropy for PlatformEntropy {
    #[expect(clippy::expect_used, reason = "without randomness no secret may be generated, so the request must fail")]
    fn fill(&mut self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the platform has randomness");
    }
}
