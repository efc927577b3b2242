//! Whether a service is available, according to the latest request of any clone of its client.

use tokio::sync::watch;

/// The availability of a service. A service that returns an error is available.
#[derive(Clone, Debug)]
pub struct Reach(watch::Sender<bool>);

impl Reach {
    /// Returns the state before the first request: the service counts as available.
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(true))
    }

    /// Records whether the service answered a request.
    pub(super) fn record(&self, answers: bool) {
        self.0.send_if_modified(|latest| std::mem::replace(latest, answers) != answers);
    }

    pub fn answers(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the service answers.
    pub async fn until_it_answers(&self) {
        self.until(true).await;
    }

    /// Waits until the service fails to answer a request.
    pub async fn until_it_is_away(&self) {
        self.until(false).await;
    }

    async fn until(&self, answers: bool) {
        // Fails only if the sender is dropped, and this value has one.
        let _ = self.0.subscribe().wait_for(|now| *now == answers).await;
    }
}
