//! Webhooks that record what they receive, and answer as the test says.

use super::FakePlatform;
use crate::platform::webhook_client::{WebhookAnswer, WebhookClient, WebhookRequest};
use contract::api::Event;

/// A request that a webhook has received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub at_unix: u64,
    pub request: WebhookRequest,
    pub event: Event,
}

impl WebhookClient for FakePlatform {
    async fn post(&self, request: &WebhookRequest) -> WebhookAnswer {
        self.yield_once().await;
        let apply = || {
            let event = serde_json::from_str(&request.body).unwrap();
            let received = Received { at_unix: self.world.now_unix.get(), request: request.clone(), event };
            let answer = (self.world.webhook.borrow_mut())(&received);
            self.world.received.borrow_mut().push(received);
            Ok(answer)
        };
        let failed = |_| WebhookAnswer::failed("unreachable");
        self.operate(apply, failed).answer().await.unwrap_or_else(|answer| answer)
    }
}
