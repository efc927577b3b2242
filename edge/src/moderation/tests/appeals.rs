//! Appeals: when an owner can object, who decides about it, and what the owner reads.

use super::{decide_about, reported, review_pepper};
use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::owner_changes::{ChangeOutcome, OwnedContent, appeal, delete};
use crate::contents::status::find_owned;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene, uuid};
use crate::moderation::appeals::{list, needs_another};
use crate::moderation::case;
use crate::moderation::decisions::{BrokenPolicy, DecisionKind, DecisionOutcome, DecisionRequest, decide};
use crate::moderation::review_address::ReviewAddresses;
use crate::people::auth::hash::Pepper;
use crate::people::staff::tokens::{self, NewToken};
use contract::ContentState::{Published, TakenDown};
use contract::api::{AppealState, AppealedContent, ContentStatus, TokenRole};
use contract::limits::APPEAL_SECONDS;
use contract::moderation::Recommendation::{Pass, Reject, Review};
use futures_executor::block_on;

fn owned(uuid: &ContentUuid) -> OwnedContent<'_> {
    OwnedContent { channel_id: ChannelId(1), content_uuid: uuid }
}

fn object(scene: &Scene) -> ChangeOutcome {
    object_with(scene, "It is art.")
}

fn object_with(scene: &Scene, text: &str) -> ChangeOutcome {
    block_on(appeal(&scene.world.database, owned(&uuid()), text, scene.now())).unwrap()
}

fn remove(scene: &Scene, code: &str) {
    let (content_uuid, policy) = (uuid(), Some(BrokenPolicy { code, text: "A rule." }));
    let kind = DecisionKind::TakeDown;
    let request =
        DecisionRequest { kind, content_uuid: &content_uuid, reason: "r", by: "Ada", policy, kept_frames: &[] };
    block_on(decide(&scene.world.database, &request, scene.now())).unwrap();
}

fn taken_down() -> Scene {
    let scene = reported(None, processed(&[Pass]));
    remove(&scene, "violence");
    scene
}

fn status(scene: &Scene) -> ContentStatus {
    let found = block_on(find_owned(&scene.world.database, owned(&uuid()))).unwrap().unwrap();
    found.status("https://s", scene.now())
}

fn state(scene: &Scene) -> Option<AppealState> {
    status(scene).appeal.map(|appeal| appeal.state)
}

fn pending(scene: &Scene) -> Vec<AppealedContent> {
    let pepper = review_pepper();
    let review = ReviewAddresses { base: "https://b", pepper: &pepper, until: UnixSeconds(NOON), session: None };
    block_on(list(&scene.world.database, 10, review, scene.now())).unwrap()
}

fn make_token(scene: &Scene, name: &str, roles: &[TokenRole]) {
    let hash = Pepper::new(&"a".repeat(32)).unwrap().hash(name.as_bytes());
    let token = NewToken { name, roles, hash: &hash, ends_at: UnixSeconds(NOON + 7_200), created_by: "operator" };
    block_on(tokens::create(&scene.world.database, token, scene.now())).unwrap();
}

#[test]
fn an_owner_appeals_once_against_a_removal_and_reads_the_outcome() {
    let scene = taken_down();
    assert_eq!((state(&scene), status(&scene).can_appeal_until_unix), (None, Some(NOON + APPEAL_SECONDS)));
    assert!(matches!(object(&scene), ChangeOutcome::Done(_)));
    assert_eq!((state(&scene), status(&scene).can_appeal_until_unix), (Some(AppealState::Pending), None));
    // The same request succeeds again and changes nothing. Another text is refused.
    let changes = || scene.count("SELECT revision AS number FROM contents");
    let before = changes();
    assert!(matches!(object(&scene), ChangeOutcome::Done(_)));
    assert_eq!((object_with(&scene, "Please."), changes()), (ChangeOutcome::AppealNotPossible, before));
    let waiting = pending(&scene);
    assert_eq!((waiting[0].text.as_str(), waiting[0].decided_by.as_str()), ("It is art.", "Ada"));
    assert_eq!(waiting[0].policy_code.as_deref(), Some("violence"));
    assert_eq!(decide_about(&scene, DecisionKind::RejectAppeal), DecisionOutcome::Done(TakenDown));
    assert_eq!((state(&scene), pending(&scene).len()), (Some(AppealState::Rejected), 0));
    // A repeated decision changes nothing, and the owner cannot appeal again.
    assert_eq!(decide_about(&scene, DecisionKind::RejectAppeal), DecisionOutcome::Done(TakenDown));
    assert_eq!(object(&scene), ChangeOutcome::AppealNotPossible);
    let told = "SELECT count(*) AS number FROM events WHERE type = 'content.appeal_rejected'";
    assert_eq!(scene.count(told), 1);
}

#[test]
fn a_restoration_grants_the_appeal_and_the_next_removal_can_be_appealed_again() {
    let scene = taken_down();
    object(&scene);
    assert_eq!(decide_about(&scene, DecisionKind::Restore), DecisionOutcome::Done(Published));
    assert_eq!((state(&scene), pending(&scene).len()), (Some(AppealState::Granted), 0));
    assert_eq!(object(&scene), ChangeOutcome::AppealNotPossible);
    remove(&scene, "spam");
    assert_eq!(state(&scene), None);
    assert!(matches!(object(&scene), ChangeOutcome::Done(_)));
    assert_eq!(state(&scene), Some(AppealState::Pending));
}

#[test]
fn an_appeal_of_the_last_day_can_be_granted_for_two_more_weeks() {
    let scene = taken_down();
    scene.pass(APPEAL_SECONDS - 1);
    assert!(matches!(object(&scene), ChangeOutcome::Done(_)));
    scene.sweep();
    scene.pass(14 * 86_400);
    scene.sweep();
    assert_eq!(decide_about(&scene, DecisionKind::Restore), DecisionOutcome::Done(Published));
    assert_eq!(state(&scene), Some(AppealState::Granted));
}

#[test]
fn only_a_recent_removal_by_a_person_whose_policy_allows_it_can_be_appealed() {
    let published = reported(None, processed(&[Pass]));
    let waiting = reported(None, processed(&[Review]));
    let automatic = reported(None, processed(&[Reject]));
    let late = taken_down();
    late.pass(APPEAL_SECONDS);
    let forbidden = taken_down();
    forbidden.attempt("UPDATE policies SET may_be_appealed = 0 WHERE policy_code = 'violence'").unwrap();
    for scene in [published, waiting, automatic, late, forbidden] {
        assert_eq!(status(&scene).can_appeal_until_unix, None);
        assert_eq!(object(&scene), ChangeOutcome::AppealNotPossible);
        assert_eq!(pending(&scene).len(), 0);
    }
    let other = OwnedContent { channel_id: ChannelId(2), content_uuid: &uuid() };
    let scene = taken_down();
    let outcome = block_on(appeal(&scene.world.database, other, "mine", scene.now())).unwrap();
    assert_eq!(outcome, ChangeOutcome::UnknownContent);
}

#[test]
fn whoever_decided_does_not_decide_about_the_appeal_if_another_can() {
    let scene = taken_down();
    let needs = |by: &str| block_on(needs_another(&scene.world.database, &uuid(), by, scene.now())).unwrap();
    make_token(&scene, "Ada", &[TokenRole::Decide]);
    make_token(&scene, "Eve", &[TokenRole::Look]);
    assert!(!needs("Ada"), "nobody objects");
    object(&scene);
    assert!(!needs("Ada"), "there is nobody else who may decide");
    make_token(&scene, "Bo", &[TokenRole::Look, TokenRole::Decide]);
    assert!(needs("Ada") && !needs("Bo"));
    scene.pass(7_200);
    assert!(!needs("Ada"), "the other's token has ended");
}

#[test]
fn the_words_of_an_appeal_are_in_the_case_and_end_with_the_content() {
    let scene = taken_down();
    object(&scene);
    let pepper = review_pepper();
    let review = ReviewAddresses { base: "https://b", pepper: &pepper, until: UnixSeconds(NOON), session: None };
    let case = block_on(case::find(&scene.world.database, &scene.world.process(None), &uuid(), review, scene.now()))
        .unwrap()
        .unwrap();
    let appeal = case.appeal.unwrap();
    assert_eq!((appeal.text.as_str(), appeal.decided_by.as_str()), ("It is art.", "Ada"));
    block_on(delete(&scene.world.database, owned(&uuid()), scene.now(), scene.now())).unwrap();
    assert_eq!(scene.count("SELECT count(*) AS number FROM appeals"), 0);
    assert_eq!(
        decide_about(&scene, DecisionKind::RejectAppeal),
        DecisionOutcome::Conflict(contract::ContentState::Deleted)
    );
}
