//! The request that carries an event: its body, its headers and its signatures.

use super::address::AddressRules;
use super::secret::{RootSecret, SecretVersion};
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::webhook_client::{WebhookAnswer, WebhookClient, WebhookRequest};
use contract::api::Event;
use contract::{SigningSecret, WebhookMessage};
use serde::Deserialize;

/// The configuration of webhooks.
#[derive(Clone, Debug)]
pub(crate) struct WebhookSettings {
    /// The current root secret, and the previous one while it is being replaced.
    pub roots: Vec<RootSecret>,
    pub rules: AddressRules,
}

/// The receiver of a request, and the versions of the secret that sign it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Target {
    pub uuid: String,
    pub url: String,
    pub secret_version: u64,
    pub previous_secret_ends_at_unix: Option<UnixSeconds>,
}

impl WebhookSettings {
    /// Returns the secret that the owner of a webhook gets.
    pub(crate) fn current_secret(&self, webhook_uuid: &str, version: u64) -> Option<String> {
        let derive = |root: &RootSecret| root.derive(SecretVersion { webhook_uuid, version }).reveal();
        self.roots.first().map(derive)
    }

    /// Sends an event, unless its address is not or no longer allowed.
    pub(super) async fn send(
        &self,
        client: &impl WebhookClient,
        target: &Target,
        event: &Event,
        now: UnixSeconds,
    ) -> WebhookAnswer {
        if !self.rules.allow(&target.url) {
            return WebhookAnswer::failed("address_refused");
        }
        client.post(&self.request(target, event, now)).await
    }

    fn request(&self, target: &Target, event: &Event, now: UnixSeconds) -> WebhookRequest {
        // An event has texts and numbers only, so it always has a JSON form.
        let body = serde_json::to_string(event).unwrap_or_default();
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("user-agent", concat!("Clipgate/", env!("CARGO_PKG_VERSION")).to_owned()),
        ];
        let message = WebhookMessage { id: &event.id, timestamp_unix: now.0, body: &body };
        headers.extend(message.headers(&self.valid_secrets(target, now)));
        WebhookRequest { url: target.url.clone(), headers, body }
    }

    /// Returns the secrets that the receiver may have, the newest first.
    fn valid_secrets(&self, target: &Target, now: UnixSeconds) -> Vec<SigningSecret> {
        let has_previous = target.previous_secret_ends_at_unix.is_some_and(|end| now < end);
        let oldest = target.secret_version - u64::from(has_previous && target.secret_version > 1);
        let versions = (oldest..=target.secret_version).rev();
        let of = |version| self.roots.iter().map(move |root| (root, version));
        let derive =
            |(root, version): (&RootSecret, _)| root.derive(SecretVersion { webhook_uuid: &target.uuid, version });
        versions.flat_map(of).map(derive).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::api::EventData;

    const NOW: UnixSeconds = UnixSeconds(1_795_305_600);

    fn settings(roots: &[&str]) -> WebhookSettings {
        let roots = roots.iter().map(|letter| RootSecret::new(&letter.repeat(32)).unwrap()).collect();
        WebhookSettings { roots, rules: AddressRules::default() }
    }

    fn signatures(settings: &WebhookSettings, version: u64, previous_ends: Option<u64>) -> Vec<String> {
        let target = Target {
            uuid: "w".to_owned(),
            url: "https://shop.com/".to_owned(),
            secret_version: version,
            previous_secret_ends_at_unix: previous_ends.map(UnixSeconds),
        };
        let event = Event {
            id: "evt_1".to_owned(),
            kind: "key.rotated".to_owned(),
            timestamp: String::new(),
            happened_at_unix: 1,
            sequence: 1,
            content_sequence: None,
            data: EventData::default(),
        };
        let request = settings.request(&target, &event, NOW);
        let header = |name| request.headers.iter().find(|(found, _)| *found == name).unwrap().1.clone();
        assert_eq!((header("webhook-id"), header("webhook-timestamp")), ("evt_1".to_owned(), NOW.to_string()));
        header("webhook-signature").split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_request_is_signed_with_every_secret_that_is_valid_and_no_other() {
        let one = settings(&["a"]);
        let (first, second) = (signatures(&one, 1, None), signatures(&one, 2, None));
        assert_eq!((first.len(), second.len()), (1, 1));
        let both = [second.as_slice(), &first].concat();
        assert_eq!(signatures(&one, 2, Some(NOW.0 + 1)), both);
        assert_eq!(signatures(&one, 2, Some(NOW.0)), second);
        assert_eq!(signatures(&one, 1, Some(NOW.0 + 1)), first);
    }

    #[test]
    fn an_owner_gets_the_secret_of_the_current_root() {
        let secret = settings(&["b", "a"]).current_secret("w", 2);
        assert!(secret.as_ref().is_some_and(|secret| secret.starts_with("whsec_")), "{secret:?}");
        assert_eq!(secret, settings(&["b"]).current_secret("w", 2));
        assert_ne!(secret, settings(&["a"]).current_secret("w", 2));
        assert_eq!(settings(&[]).current_secret("w", 2), None);
    }

    #[test]
    fn while_the_root_is_replaced_the_secrets_of_both_are_valid() {
        let both = signatures(&settings(&["b", "a"]), 1, None);
        assert_eq!(both, [signatures(&settings(&["b"]), 1, None), signatures(&settings(&["a"]), 1, None)].concat());
    }
}
