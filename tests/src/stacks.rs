//! The stacks of a suite: shared stacks, and stacks that a test has to itself.

use crate::stack_kind::{StackKind, StackLimits, TestCache};
use crate::test_queue::queue_is_empty;
use crate::test_stack::TestStack;
use anyhow::Result;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};

/// The number of stacks for tests that need one to themselves. Booting a stack takes seconds of processor time, so
/// further tests wait until one is free.
const OWN_STACKS: usize = 2;

/// Boots a stack when the first test needs it.
#[derive(Debug)]
pub(crate) struct Stacks {
    suite: &'static str,
    shared: OnceCell<Arc<TestStack>>,
    other: OnceCell<Arc<TestStack>>,
    /// The stacks with limits.
    limited: Mutex<Vec<(StackLimits, SharedStack)>>,
    /// Stacks that can be reused: their last test passed, and left no queued job and no blocked picture behind.
    idle: Mutex<Vec<Arc<TestStack>>>,
    own: Arc<Semaphore>,
    booted: AtomicU32,
}

type SharedStack = Arc<OnceCell<Arc<TestStack>>>;

/// The stack of a running test. While this exists, an own stack counts towards `OWN_STACKS`.
#[derive(Debug)]
pub(crate) struct TakenStack {
    pub(crate) stack: Arc<TestStack>,
    permit: Option<OwnedSemaphorePermit>,
}

impl From<Arc<TestStack>> for TakenStack {
    fn from(stack: Arc<TestStack>) -> Self {
        Self { stack, permit: None }
    }
}

impl Stacks {
    pub(crate) fn new(suite: &'static str) -> Self {
        let (shared, other, limited, idle) = (OnceCell::new(), OnceCell::new(), Mutex::default(), Mutex::default());
        let own = Arc::new(Semaphore::new(OWN_STACKS));
        Self { suite, shared, other, limited, idle, own, booted: AtomicU32::new(0) }
    }

    pub(crate) async fn take(&self, kind: StackKind) -> Result<TakenStack> {
        let usual = usual_cache();
        let boot = |cache| self.boot(StackLimits::NONE, cache);
        let stack = match kind {
            StackKind::Uncached if usual == TestCache::Cache => self.other(TestCache::None).await,
            StackKind::Cached if usual == TestCache::None => self.other(TestCache::Cache).await,
            StackKind::Shared | StackKind::Cached | StackKind::Uncached => {
                self.shared.get_or_try_init(|| boot(usual)).await.cloned()
            }
            StackKind::Own => return self.take_own(usual).await,
            StackKind::New => boot(usual).await,
            StackKind::Limited(limits) => {
                self.limited(limits).get_or_try_init(|| self.boot(limits, usual)).await.cloned()
            }
            StackKind::CachedForGood => boot(TestCache::CacheForGood).await,
        };
        stack.map(TakenStack::from)
    }

    async fn take_own(&self, cache: TestCache) -> Result<TakenStack> {
        let permit = Arc::clone(&self.own).acquire_owned().await?;
        let idle = locked(&self.idle).pop();
        let stack = match idle {
            Some(stack) => stack,
            None => self.boot(StackLimits::NONE, cache).await?,
        };
        Ok(TakenStack { stack, permit: Some(permit) })
    }

    /// Returns the stack with these limits, booted or not.
    fn limited(&self, limits: StackLimits) -> SharedStack {
        let mut stacks = locked(&self.limited);
        if let Some((_, stack)) = stacks.iter().find(|(other, _)| *other == limits) {
            return Arc::clone(stack);
        }
        let stack = SharedStack::default();
        stacks.push((limits, Arc::clone(&stack)));
        stack
    }

    /// Returns the second stack of the suite, which differs from the first in having a cache or not.
    async fn other(&self, cache: TestCache) -> Result<Arc<TestStack>> {
        self.other.get_or_try_init(|| self.boot(StackLimits::NONE, cache)).await.cloned()
    }

    /// Keeps an own stack for another test if this one passed, and left no queued job and no blocked picture behind.
    pub(crate) async fn give_back(&self, taken: TakenStack, succeeded: bool) {
        let TakenStack { stack, permit } = taken;
        if permit.is_some() && succeeded && is_reusable(&stack).await.unwrap_or(false) {
            locked(&self.idle).push(stack);
        }
    }

    /// Returns the shared stack, if any test has needed it.
    pub(crate) fn shared(&self) -> Option<&Arc<TestStack>> {
        self.shared.get()
    }

    async fn boot(&self, limits: StackLimits, cache: TestCache) -> Result<Arc<TestStack>> {
        let number = self.booted.fetch_add(1, Ordering::Relaxed);
        let started = Instant::now();
        let name = format!("{}-{number}", self.suite);
        let stack = TestStack::boot(&name, limits, cache).await?;
        println!("stack {number} of {} booted in {:.1} s", self.suite, started.elapsed().as_secs_f64());
        Ok(Arc::new(stack))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the stack has neither queued jobs nor blocked pictures of earlier tests.
async fn is_reusable(stack: &Arc<TestStack>) -> Result<bool> {
    Ok(queue_is_empty(stack).await? && stack.texts("SELECT hash FROM blocked_hashes")?.is_empty())
}

/// Returns the cache in front of the Worker in most tests. `CACHE=on` runs them behind a cache.
fn usual_cache() -> TestCache {
    let is_cached = std::env::var_os("CACHE").is_some_and(|cache| cache == "on");
    if is_cached { TestCache::Cache } else { TestCache::None }
}
