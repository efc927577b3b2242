//! Tells systemd that the service has started, and that its pull loop is still running. Does nothing without systemd.

use sd_notify::NotifyState;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The longest iteration of a healthy pull loop: a pull that times out, and the longest pause after it.
const MAX_TURN: Duration = Duration::from_mins(3);

/// The number of notifications within the watchdog's limit.
const ANSWERS: u32 = 3;

/// The time of the pull loop's latest iteration.
#[derive(Clone, Debug)]
pub struct LoopPulse(Arc<Mutex<Instant>>);

impl Default for LoopPulse {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }
}

impl LoopPulse {
    /// Records an iteration of the loop.
    pub fn beat(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn is_alive(&self, now: Instant) -> bool {
        now.duration_since(*self.0.lock().unwrap_or_else(PoisonError::into_inner)) <= MAX_TURN
    }
}

/// Reports that the service has started, then notifies systemd's watchdog while the loop runs, until `shutdown` is
/// cancelled. Without notifications, systemd restarts the service.
pub async fn report(pulse: LoopPulse, shutdown: CancellationToken) {
    let systemd = Notifier::start();
    systemd.notify(NotifyState::Ready);
    if let Some(limit) = sd_notify::watchdog_enabled() {
        while !is_cancelled_within(&shutdown, limit / ANSWERS).await {
            if pulse.is_alive(Instant::now()) {
                systemd.notify(NotifyState::Watchdog);
            } else {
                tracing::error!("the pull loop is stuck; systemd will restart the service");
            }
        }
    }
    shutdown.cancelled().await;
    systemd.notify(NotifyState::Stopping);
}

async fn is_cancelled_within(shutdown: &CancellationToken, duration: Duration) -> bool {
    tokio::time::timeout(duration, shutdown.cancelled()).await.is_ok()
}

/// Notifies systemd from a thread of its own: if nobody reads the notifications, writing one blocks.
struct Notifier(SyncSender<NotifyState<'static>>);

impl Notifier {
    fn start() -> Self {
        let (sender, states) = sync_channel(1);
        std::thread::spawn(move || states.into_iter().for_each(send));
        Self(sender)
    }

    /// Notifies systemd, unless it has not read the earlier notifications.
    fn notify(&self, state: NotifyState<'static>) {
        if self.0.try_send(state).is_err() {
            tracing::warn!("systemd does not read the notifications");
        }
    }
}

/// Sends a notification. A failure must not stop the service.
fn send(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "systemd cannot be notified");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_stops_turning_is_not_alive() {
        let pulse = LoopPulse::default();
        assert!(pulse.is_alive(Instant::now() + MAX_TURN / 2));
        assert!(!pulse.is_alive(Instant::now() + MAX_TURN * 2));
        pulse.beat();
        assert!(pulse.is_alive(Instant::now()));
    }
}
