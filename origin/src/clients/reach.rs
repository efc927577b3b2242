//! Whether a service answers, as the latest request of any clone of its client showed.

use tokio::sync::watch;

#[derive(Clone, Debug)]
pub(super) struct Reach(watch::Sender<bool>);

impl Reach {
    /// Returns the state before the first request: the service counts as answering.
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(true))
    }

    /// Records whether the service answered a request.
    pub(super) fn record(&self, answers: bool) {
        self.0.send_if_modified(|latest| std::mem::replace(latest, answers) != answers);
    }

    pub(super) fn answers(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the service answers, or until it does not.
    pub(super) async fn until(&self, answers: bool) {
        // Fails only if the sender is dropped, and this value has one.
        let _ = self.0.subscribe().wait_for(|now| *now == answers).await;
    }
}
