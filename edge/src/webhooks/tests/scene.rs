//! A channel with events and webhooks, whose receivers answer as the test says.

use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::testing::set_as_a_rule;
use crate::jobs::tests::scene::{NOON, Scene};
use crate::journal;
use crate::people::keys::channels::{ChannelSettings, ensure_channel};
use crate::people::owner::SignedBy;
use crate::platform::database::{Batch, Database, Statement};
use crate::platform::webhook_client::WebhookAnswer;
use crate::testing::fake_platform::{FakePlatform, Received, World};
use crate::webhooks::message::WebhookSettings;
use crate::webhooks::send_again::{Selection, send_again};
use crate::webhooks::store::{self, OwnedWebhook, WebhookChanges};
use crate::webhooks::{AddressRules, RootSecret, send_due};
use contract::api::{EventsSentAgain, Webhook};
use futures_executor::block_on;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::rc::Rc;

pub(super) const MINUTE: u64 = 60;
pub(super) const DAY: u64 = 86_400;

/// Channel 1 with the events and webhooks of a test, and channel 2.
pub(super) struct HookScene {
    pub world: Rc<World>,
}

pub(super) fn settings() -> WebhookSettings {
    WebhookSettings { roots: vec![RootSecret::new(&"r".repeat(32)).unwrap()], rules: AddressRules::default() }
}

pub(super) fn answer(status: u16) -> WebhookAnswer {
    WebhookAnswer { status: Some(status), latency_ms: 5, ..WebhookAnswer::default() }
}

pub(super) fn url(uuid: &str) -> String {
    format!("https://{uuid}.shop.com/hook")
}

fn owned(uuid: &str) -> OwnedWebhook<'_> {
    OwnedWebhook { channel_id: ChannelId(1), uuid }
}

impl HookScene {
    /// Returns a scene with these webhooks for all types.
    pub(super) fn with(webhooks: &[&str]) -> Self {
        let scene = Self { world: Scene::new().world };
        let settings = ChannelSettings::limited(10);
        block_on(ensure_channel(&scene.world.database, 2, settings, UnixSeconds(NOON))).unwrap();
        for uuid in webhooks {
            scene.create(uuid, None).unwrap();
        }
        scene
    }

    pub(super) fn create(&self, uuid: &str, event_types: Option<&str>) -> Option<Webhook> {
        let types = event_types.map(str::to_owned);
        let url = url(uuid);
        let created = store::create(&self.world.database, owned(uuid), SignedBy::Key, &url, types, self.now());
        block_on(created).unwrap().map(|webhook| webhook.read().unwrap())
    }

    pub(super) fn now(&self) -> UnixSeconds {
        UnixSeconds(self.world.now_unix.get())
    }

    /// Adds an event to channel 1, now.
    pub(super) fn happen(&self, content_id: Option<u64>) {
        self.happen_of_type(content_id, "content.published");
    }

    pub(super) fn happen_of_type(&self, content_id: Option<u64>, kind: &str) {
        let event = json!([{
            "channel_id": 1, "content_id": content_id, "content_sequence": 1, "type": kind, "data": "{}",
        }]);
        let mut batch = Batch::default();
        journal::events::add(&mut batch, &event.to_string());
        let now = Statement::new("UPDATE events SET happened_at_unix = ?1 WHERE id = (SELECT max(id) FROM events)");
        batch.execute(now.bind(self.now()));
        block_on(self.world.database.run(batch)).unwrap();
    }

    /// Lets the receivers answer.
    pub(super) fn answers(&self, answer: impl FnMut(&Received) -> WebhookAnswer + 'static) {
        *self.world.webhook.borrow_mut() = Box::new(answer);
    }

    pub(super) fn run(&self) -> u64 {
        run_as(&self.world.process(None))
    }

    /// Runs every minute for so long.
    pub(super) fn run_for(&self, seconds: u64) {
        self.run_every(MINUTE, seconds);
    }

    pub(super) fn run_every(&self, interval: u64, seconds: u64) {
        let end = self.now() + seconds;
        while self.now() < end {
            self.run();
            self.world.pass(interval);
        }
    }

    /// Returns the sequences that a webhook received, in the order of their arrival.
    pub(super) fn received(&self, uuid: &str) -> Vec<u64> {
        let received = self.world.received.borrow();
        received.iter().filter(|one| one.request.url == url(uuid)).map(|one| one.event.sequence).collect()
    }

    pub(super) fn webhook(&self, uuid: &str) -> Webhook {
        block_on(store::find(&self.world.database, owned(uuid))).unwrap().unwrap().read().unwrap()
    }

    pub(super) fn switch(&self, uuid: &str, is_active: bool) {
        let changes = WebhookChanges { is_active: Some(is_active), ..WebhookChanges::default() };
        block_on(store::update(&self.world.database, owned(uuid), SignedBy::Session, &changes, self.now()))
            .unwrap()
            .unwrap();
    }

    pub(super) fn send_again(&self, uuid: &str, selection: Selection<'_>) -> Option<EventsSentAgain> {
        block_on(send_again(&self.world.database, owned(uuid), selection)).unwrap()
    }

    pub(super) fn query<T: DeserializeOwned>(&self, sql: &'static str) -> Vec<T> {
        block_on(self.world.database.all(Statement::new(sql))).unwrap()
    }

    pub(super) fn rule(&self, sql: &str) -> Result<(), String> {
        set_as_a_rule(&self.world.database, sql, self.now())
    }

    pub(super) fn execute(&self, sql: &'static str) {
        block_on(self.world.database.execute(Statement::new(sql))).unwrap();
    }
}

/// Sends the deliveries that are due, in this process.
pub(super) fn run_as(process: &FakePlatform) -> u64 {
    block_on(send_due(process, &settings())).unwrap()
}
