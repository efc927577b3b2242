//! The kinds of stacks that tests ask for, and their limits.

/// The stack that a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackKind {
    /// The suite's stack, shared with other tests, which use separate accounts.
    Shared,
    /// A stack that no other test uses at the same time. Tests that count the operations of a request need one, because
    /// a request that writes also carries out pending follow-ups of other requests. A test that succeeds hands its
    /// stack on, so the next test may assume an empty queue but not an empty database.
    Own,
    /// A new stack.
    New,
    /// A stack with these limits, together with the other tests that need the same ones.
    Limited(StackLimits),
    /// A stack with a cache in front of the Worker, together with other tests. Without Varnish, its tests are skipped.
    Cached,
    /// A stack without a cache, shared with other tests: for responses of the Worker itself.
    Uncached,
    /// A new stack with a cache that refuses every purge.
    CachedForGood,
}

/// The cache in front of a stack's Worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestCache {
    None,
    Cache,
    /// A cache that refuses every purge.
    CacheForGood,
}

impl StackKind {
    pub(crate) fn needs_cache(self) -> bool {
        matches!(self, Self::Cached | Self::CachedForGood)
    }
}

/// The limits of a stack, and its requirements. Most tests run alongside others, so they need higher limits than
/// production.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackLimits {
    /// Requests of one key in ten seconds.
    pub key_rate: u32,
    /// Requests with unknown keys from one address in ten seconds.
    pub address_rate: u32,
    /// Uploads that one channel may have open at once.
    pub open_uploads: u32,
    /// Whether the edge demands a classifier's judgement of every video.
    pub requires_classifier: bool,
    /// Whether completion jobs have a queue of their own.
    pub has_completions_queue: bool,
}

impl StackLimits {
    /// Limits that no test reaches.
    pub const NONE: Self = Self {
        key_rate: 1_000_000,
        address_rate: 1_000_000,
        open_uploads: 1_000_000,
        requires_classifier: false,
        has_completions_queue: false,
    };
    /// Few requests with unknown keys and tokens from one address. Each test has its own addresses.
    pub const FEW_PER_ADDRESS: Self = Self { address_rate: 20, ..Self::NONE };
    /// Few requests of one key. A classifier is also required, so that both need only one stack.
    pub const FEW_PER_KEY: Self = Self { key_rate: 8, requires_classifier: true, ..Self::NONE };

    /// A queue of their own for completion jobs.
    pub const COMPLETIONS: Self = Self { has_completions_queue: true, ..Self::NONE };

    /// Returns each rate limit with the name of its binding.
    pub(crate) fn rates(self) -> Vec<(&'static str, u32)> {
        vec![("KEY_RATE", self.key_rate), ("ADDRESS_RATE", self.address_rate)]
    }
}
