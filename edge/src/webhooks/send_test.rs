//! A test event: sent immediately and only once, and not part of the log.

use super::message::{Target, WebhookSettings};
use super::store::OwnedWebhook;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::Platform;
use crate::platform::database::{Database, DatabaseError, Statement};
use crate::platform::entropy::{Entropy, random_base62};
use crate::platform::webhook_client::WebhookAnswer;
use contract::api::{Event, EventData, WebhookResponse, WebhookTested};
use serde::Deserialize;

/// `contract::api::EventType::WebhookTest`.
const TEST_EVENT: &str = "webhook.test";

/// The shortest time between two tests of a webhook, because its address may be somebody else's server.
const SECONDS_BETWEEN_TESTS: u64 = 5;

/// The outcome of a request to test a webhook.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TestOutcome {
    Tested(WebhookTested),
    TooSoon { retry_after_seconds: u64 },
    UnknownWebhook,
}

#[derive(Deserialize)]
struct TestRow {
    #[serde(flatten)]
    target: Target,
    timestamp: String,
}

/// Sends a test event to a webhook in any state, and returns the response.
pub(crate) async fn send_test<P: Platform>(
    platform: &P,
    settings: &WebhookSettings,
    webhook: OwnedWebhook<'_>,
    entropy: &mut impl Entropy,
) -> Result<TestOutcome, DatabaseError> {
    let (database, now) = (platform.database(), platform.now());
    let find = Statement::new(
        "UPDATE webhooks SET last_test_at_unix = ?3
         WHERE channel_id = ?1 AND uuid = ?2 AND last_test_at_unix <= ?3 - ?4
         RETURNING uuid, url, secret_version, previous_secret_ends_at_unix,
             strftime('%Y-%m-%dT%H:%M:%SZ', ?3, 'unixepoch') AS timestamp",
    );
    let find = webhook.bind(find).bind(now).bind(SECONDS_BETWEEN_TESTS);
    let Some(row) = database.first::<TestRow>(find).await? else {
        let exists = super::store::find(database, webhook).await?.is_some();
        let too_soon = TestOutcome::TooSoon { retry_after_seconds: SECONDS_BETWEEN_TESTS };
        return Ok(if exists { too_soon } else { TestOutcome::UnknownWebhook });
    };
    let (event, target) = row.read(format!("evt_test_{}", random_base62::<22>(entropy)), now);
    let answer = settings.send(platform.webhooks(), &target, &event, now).await;
    Ok(TestOutcome::Tested(tested(event.id, answer)))
}

impl TestRow {
    fn read(self, event_id: String, now: UnixSeconds) -> (Event, Target) {
        let event = Event {
            id: event_id,
            kind: TEST_EVENT.to_owned(),
            timestamp: self.timestamp,
            happened_at_unix: now.0,
            sequence: 0,
            content_sequence: None,
            data: EventData { webhook_uuid: Some(self.target.uuid.clone()), ..EventData::default() },
        };
        (event, self.target)
    }
}

fn tested(event_id: String, answer: WebhookAnswer) -> WebhookTested {
    WebhookTested {
        success: true,
        event_id,
        is_delivered: answer.status.is_some_and(|status| (200..300).contains(&status)),
        response: WebhookResponse {
            status: answer.status,
            failure: answer.failure,
            latency_ms: answer.latency_ms,
            body_start: answer.body_start,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::TEST_EVENT;
    use contract::api::EventType;

    #[test]
    fn the_type_of_a_test_is_a_known_one() {
        assert_eq!(serde_json::to_value(EventType::WebhookTest).unwrap(), TEST_EVENT);
    }
}
