//! Cases, claims and policies.

use super::{decide_about, decide_on, reported, review_pepper};
use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::jobs::tests::completion::completed_scene;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene, uuid};
use crate::moderation::decisions::{BrokenPolicy, DecisionKind, DecisionRequest, decide};
use crate::moderation::queue::{Waiting, count_waiting};
use crate::moderation::review_address::ReviewAddresses;
use crate::moderation::review_claims::{CLAIM_SECONDS, Claimed, claim, claim_of_another, release};
use crate::moderation::{case, flags, history, policies};
use contract::ContentState;
use contract::api::{AUTOMATIC_POLICY, ModerationCase, OTHER_POLICY, Policy, ReviewClaim};
use contract::moderation::Recommendation::{Pass, Reject, Review};
use futures_executor::block_on;
use serde::Deserialize;

/// The reason that an owner is told of a removed content.
#[derive(Deserialize)]
struct Told {
    policy_code: Option<String>,
    error_detail: Option<String>,
}

#[derive(Deserialize)]
struct EventRow {
    data: String,
}

const AT_NOON: UnixSeconds = UnixSeconds(NOON);

fn case_at(scene: &Scene, uuid: &ContentUuid, now: UnixSeconds) -> Option<ModerationCase> {
    let pepper = review_pepper();
    let review = ReviewAddresses { base: "https://b", pepper: &pepper, until: UnixSeconds(NOON + 900), session: None };
    block_on(case::find(&scene.world.database, &scene.world.process(None), uuid, review, now)).unwrap()
}

fn claimed(scene: &Scene, by: &str, takes_over: bool, now: UnixSeconds) -> Claimed {
    block_on(claim(&scene.world.database, &uuid(), by, takes_over, now)).unwrap()
}

fn other(scene: &Scene, by: &str, now: UnixSeconds) -> Option<String> {
    let found = block_on(claim_of_another(&scene.world.database, &uuid(), by, now)).unwrap();
    found.map(|claim| claim.by)
}

fn of(by: &str, at: UnixSeconds) -> ReviewClaim {
    ReviewClaim { by: by.to_owned(), until_unix: at.0 + CLAIM_SECONDS }
}

#[test]
fn a_case_has_the_evidence_of_a_content_in_every_state() {
    let scene = reported(None, processed(&[Pass, Review]));
    let waiting = case_at(&scene, &uuid(), AT_NOON).unwrap();
    assert_eq!((waiting.content.state, waiting.waits_since_unix), (ContentState::Processing, Some(NOON)));
    assert_eq!(waiting.findings.len(), 2);
    assert_eq!((waiting.channel.processing, waiting.channel.published), (1, 0));
    assert!(waiting.video_url.unwrap().contains("file=video.mp4"));
    assert!(waiting.poster_url.unwrap().contains("file=poster.jpg"));
    assert_eq!((waiting.flag, waiting.claim, waiting.decisions.len()), (None, None, 0));
    decide_about(&scene, DecisionKind::Approve);
    scene
        .attempt("INSERT INTO flags (content_id, state, flagged_at_unix, reports) SELECT id, state, 7, 2 FROM contents")
        .unwrap();
    let published = case_at(&scene, &uuid(), AT_NOON).unwrap();
    assert_eq!((published.channel.processing, published.channel.published), (0, 1));
    assert_eq!(published.flag.unwrap().reports, 2);
    assert_eq!(published.decisions.len(), 1);
    assert!(case_at(&scene, &ContentUuid::new("unknown"), AT_NOON).is_none());
}

#[test]
fn the_findings_stay_in_the_case_when_the_video_is_completed() {
    let scene = completed_scene();
    let case = case_at(&scene, &uuid(), AT_NOON).unwrap();
    assert_eq!((case.findings.len(), scene.row().media_generation), (1, Some(2)));
}

#[test]
fn a_content_is_claimed_by_one_moderator_until_the_claim_ends_or_is_taken_over() {
    let scene = reported(None, processed(&[Review]));
    assert_eq!(claimed(&scene, "Ada", false, AT_NOON), Claimed::Done(of("Ada", AT_NOON)));
    assert_eq!(claimed(&scene, "Bo", false, AT_NOON), Claimed::ByAnother(of("Ada", AT_NOON)));
    let later = AT_NOON + 60;
    assert_eq!(claimed(&scene, "Ada", false, later), Claimed::Done(of("Ada", later)));
    assert_eq!((other(&scene, "Ada", later), other(&scene, "Bo", later)), (None, Some("Ada".to_owned())));
    assert_eq!(case_at(&scene, &uuid(), later).unwrap().claim, Some(of("Ada", later)));
    let ended = later + CLAIM_SECONDS;
    assert_eq!((other(&scene, "Bo", ended), case_at(&scene, &uuid(), ended).unwrap().claim), (None, None));
    assert_eq!(claimed(&scene, "Bo", false, ended), Claimed::Done(of("Bo", ended)));
    assert_eq!(claimed(&scene, "Ada", true, ended), Claimed::Done(of("Ada", ended)));
    let unknown = block_on(claim(&scene.world.database, &ContentUuid::new("unknown"), "Ada", true, ended)).unwrap();
    assert_eq!(unknown, Claimed::UnknownContent);
}

#[test]
fn only_its_own_moderator_and_a_decision_end_a_claim_early() {
    let scene = reported(None, processed(&[Review]));
    claimed(&scene, "Ada", false, AT_NOON);
    block_on(release(&scene.world.database, &uuid(), "Bo")).unwrap();
    assert_eq!(other(&scene, "Bo", AT_NOON), Some("Ada".to_owned()));
    block_on(release(&scene.world.database, &uuid(), "Ada")).unwrap();
    assert_eq!(other(&scene, "Bo", AT_NOON), None);
    claimed(&scene, "Ada", false, AT_NOON);
    decide_about(&scene, DecisionKind::Approve);
    assert_eq!(other(&scene, "Bo", AT_NOON), None);
    claimed(&scene, "Ada", false, AT_NOON);
    block_on(flags::dismiss(&scene.world.database, &uuid(), "fine", "Ada")).unwrap();
    assert_eq!(other(&scene, "Bo", AT_NOON), None);
}

#[test]
fn what_waits_is_counted_by_what_it_waits_for() {
    let scene = reported(None, processed(&[Review]));
    let count = || block_on(count_waiting(&scene.world.database)).unwrap();
    assert_eq!(count(), Waiting { person: 1, check: 0, flagged: 0, appealed: 0 });
    decide_about(&scene, DecisionKind::Approve);
    scene.attempt("INSERT INTO flags (content_id, state, flagged_at_unix) SELECT id, state, 7 FROM contents").unwrap();
    assert_eq!(count(), Waiting { person: 0, check: 0, flagged: 1, appealed: 0 });
}

#[test]
fn an_owner_reads_the_text_of_the_policy_that_a_removal_names_until_it_is_reversed() {
    for (kind, outcome) in [(DecisionKind::Reject, Review), (DecisionKind::TakeDown, Pass)] {
        let scene = reported(None, processed(&[outcome]));
        let policy = Some(BrokenPolicy { code: "violence", text: "It shows violence." });
        let uuid = uuid();
        let request =
            DecisionRequest { kind, content_uuid: &uuid, reason: "a note", by: "Ada", policy, kept_frames: &[] };
        block_on(decide(&scene.world.database, &request, scene.now())).unwrap();
        let told = || {
            let told: Told = scene.read("SELECT policy_code, error_detail FROM contents");
            (told.policy_code, told.error_detail)
        };
        assert_eq!(told(), (Some("violence".to_owned()), Some("It shows violence.".to_owned())));
        let recorded = block_on(history::list(&scene.world.database, Some(&uuid), None, 1)).unwrap().remove(0);
        assert_eq!(recorded.decision.policy_code.as_deref(), Some("violence"));
        let event: EventRow = scene.read("SELECT data FROM events ORDER BY id DESC LIMIT 1");
        assert!(event.data.contains(r#""policy_code":"violence""#) && !event.data.contains("a note"), "{}", event.data);
        decide_on(&scene, &uuid, DecisionKind::Restore, &[]);
        assert_eq!(told(), (None, None));
    }
}

#[test]
fn a_rejection_without_a_person_names_the_automatic_policy() {
    let scene = reported(None, processed(&[Reject]));
    let told: Told = scene.read("SELECT policy_code, error_detail FROM contents");
    assert_eq!(told.policy_code.as_deref(), Some(AUTOMATIC_POLICY));
}

#[test]
fn the_operator_replaces_the_list_of_policies() {
    let scene = Scene::new();
    let database = &scene.world.database;
    let seeded = block_on(policies::list(database)).unwrap();
    assert_eq!(seeded.last().map(|policy| policy.policy_code.as_str()), Some(OTHER_POLICY));
    assert_eq!(block_on(policies::find(database, None)).unwrap().as_ref(), seeded.last());
    let policy = |code: &str, severity, may_be_appealed| Policy {
        policy_code: code.to_owned(),
        name: code.to_uppercase(),
        text: "A rule.".to_owned(),
        severity,
        may_be_appealed,
    };
    let new = [policy("b", 3, true), policy("a", 1, false), policy(OTHER_POLICY, 2, true)];
    block_on(policies::replace(database, &new, "operator")).unwrap();
    assert_eq!(block_on(policies::list(database)).unwrap(), new);
    assert_eq!(block_on(policies::find(database, Some("violence"))).unwrap(), None);
    assert_eq!(block_on(policies::find(database, Some("a"))).unwrap().as_ref(), Some(&new[1]));
}
