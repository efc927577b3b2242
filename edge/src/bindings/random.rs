//! The platform's randomness.

use crate::entropy::Entropy;

pub struct PlatformEntropy;

impl Entropy for PlatformEntropy {
    #[expect(
        clippy::expect_used,
        reason = "without randomness no secret may be made; the request must die"
    )]
    fn fill(&mut self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the platform has randomness");
    }
}
