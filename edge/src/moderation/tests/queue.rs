//! The moderation queue.

use super::{decide_about, reported, review_pepper};
use crate::base::unix_seconds::UnixSeconds;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene};
use crate::moderation::decisions::DecisionKind;
use crate::moderation::queue::{self, QueueAddresses, QueuePosition};
use crate::moderation::review_address::ReviewAddresses;
use contract::MediaFile;
use contract::api::{QueuedContent, WaitsFor};
use contract::job::{JobOutcome, StoredFile};
use contract::moderation::Recommendation::{Pass, Review};
use futures_executor::block_on;

fn list(scene: &Scene, waits_for: Option<WaitsFor>, after: QueuePosition) -> Vec<QueuedContent> {
    let review =
        ReviewAddresses { base: "https://b", pepper: &review_pepper(), until: UnixSeconds(NOON + 900), session: None };
    let addresses = QueueAddresses { site: "https://s", review };
    block_on(queue::list(&scene.world.database, waits_for, after, 10, addresses, scene.now())).unwrap()
}

#[test]
fn the_queue_lists_waiting_contents_with_their_findings_in_order() {
    let scene = reported(None, processed(&[Pass, Review]));
    let waiting = list(&scene, None, QueuePosition::default());
    assert_eq!(waiting.len(), 1);
    let recommendations: Vec<_> = waiting[0].findings.iter().map(|finding| finding.recommendation).collect();
    assert_eq!(recommendations, [Pass, Review]);
    assert_eq!(waiting[0].findings[0].note.as_deref(), Some("a label"));
    assert_eq!(waiting[0].thumbnails[0].url, "https://s/media/m/thumbnail-320.jpg");
    assert_eq!(waiting[0].waits_since_unix, NOON);
    assert_eq!(list(&scene, Some(WaitsFor::Person), QueuePosition::default()).len(), 1);
    assert_eq!(list(&scene, Some(WaitsFor::Check), QueuePosition::default()).len(), 0);
    assert_eq!(list(&scene, None, QueuePosition::of(&waiting[0])).len(), 0);
    decide_about(&scene, DecisionKind::Approve);
    assert_eq!(list(&scene, None, QueuePosition::default()).len(), 0);
}

#[test]
fn a_content_whose_media_cannot_be_read_stays_in_the_queue() {
    let scene = reported(None, processed(&[Review]));
    scene.attempt("UPDATE contents SET media = '[]'").unwrap();
    let waiting = list(&scene, None, QueuePosition::default()).remove(0);
    assert_eq!((waiting.thumbnails.len(), waiting.video_url), (0, None));
    assert_eq!(waiting.findings.len(), 1);
}

#[test]
fn a_storyboard_is_linked_only_if_it_is_stored() {
    let scene = reported(None, processed(&[Review]));
    assert_eq!(list(&scene, None, QueuePosition::default())[0].storyboard_url, None);
    let mut outcome = processed(&[Review]);
    if let JobOutcome::Processed { media, .. } = &mut outcome {
        media.files.push(StoredFile { name: MediaFile::Storyboard.to_string(), size_bytes: 1 });
    }
    let scene = reported(None, outcome);
    let url = list(&scene, None, QueuePosition::default()).remove(0).storyboard_url;
    assert!(url.unwrap().starts_with("https://b/internal/moderation/file?content=c&file=storyboard.jpg&until="));
}
