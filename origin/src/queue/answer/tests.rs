use super::*;
use proptest::prelude::*;
use serde_json::json;

fn job() -> JobMessage {
    JobMessage {
        version: contract::JOB_VERSION,
        content_id: 7,
        content_uuid: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff".to_owned(),
        generation: 1,
    }
}

fn job_text() -> String {
    serde_json::to_string(&job()).unwrap()
}

fn base64(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// A whole answer with these messages.
fn answer(messages: &Value) -> Vec<u8> {
    json!({ "success": true, "errors": [], "messages": [],
            "result": { "message_backlog_count": 3, "messages": messages } })
    .to_string()
    .into_bytes()
}

fn message(body: &str, content_type: &str) -> Value {
    json!({ "body": body, "id": "m", "timestamp_ms": 5, "attempts": 2,
            "metadata": { "CF-Content-Type": content_type }, "lease_id": "l" })
}

fn only(message: &Value) -> Delivery {
    let mut deliveries = batch(&answer(&json!([message]))).unwrap().deliveries;
    assert_eq!(deliveries.len(), 1);
    deliveries.remove(0)
}

#[test]
fn a_whole_message_is_read_whole() {
    let expected = Delivery {
        lease: LeaseId("l".to_owned()),
        message_id: "m".to_owned(),
        attempts: 2,
        sent_at_ms: Some(5),
        job: Ok(job()),
    };
    assert_eq!(only(&message(&job_text(), "text")), expected);
    assert_eq!(batch(&answer(&json!([]))).unwrap().backlog, Some(3));
}

#[test]
fn a_body_is_unpacked_as_its_content_type_says() {
    for content_type in ["json", "bytes", "JSON"] {
        let message = message(&base64(&job_text()), content_type);
        assert_eq!(only(&message).job, Ok(job()), "{content_type}");
    }
}

#[test]
fn a_job_of_an_unknown_content_type_is_still_found() {
    for body in [job_text(), base64(&job_text())] {
        assert_eq!(only(&message(&body, "v9")).job, Ok(job()));
        assert_eq!(
            only(&json!({ "lease_id": "l", "body": body })).job,
            Ok(job())
        );
    }
}

#[test]
fn what_is_not_a_job_of_this_version_is_malformed_and_keeps_its_lease() {
    let newer = job_text().replace("\"version\":1", "\"version\":2");
    let bodies = ["", "{}", "[]", "null", "<html>", r#"{"version":1}"#, &newer];
    for body in bodies {
        let delivery = only(&message(body, "text"));
        assert_eq!(delivery.lease.as_str(), "l");
        let malformed = delivery.job.unwrap_err();
        assert_eq!(
            malformed.text.as_deref(),
            Some(body),
            "{}",
            malformed.reason
        );
    }
}

#[test]
fn a_body_that_cannot_be_unpacked_is_malformed() {
    for message in [
        message(&job_text(), "json"),
        message("/w==", "bytes"),
        json!({ "lease_id": "l" }),
        json!({ "lease_id": "l", "body": 7, "metadata": [] }),
    ] {
        assert!(only(&message).job.is_err());
    }
}

#[test]
fn a_message_without_a_lease_of_its_own_is_counted_and_left() {
    let body = job_text();
    let messages = json!([
        { "body": body }, { "body": body, "lease_id": "" }, { "body": body, "lease_id": 7 },
        { "body": body, "lease_id": "a" }, { "body": body, "lease_id": "a" }, "no object", null,
    ]);
    let batch = batch(&answer(&messages)).unwrap();
    assert_eq!(batch.deliveries.len(), 1);
    assert_eq!(batch.without_lease, 6);
}

#[test]
fn a_hundred_messages_are_a_hundred_deliveries() {
    let messages: Vec<_> = (0..100)
        .map(|number| json!({ "lease_id": number.to_string(), "body": job_text() }))
        .collect();
    let batch = batch(&answer(&json!(messages))).unwrap();
    assert_eq!(batch.deliveries.len(), 100);
    assert!(batch.deliveries.iter().all(|delivery| delivery.job.is_ok()));
}

#[test]
fn fields_that_are_missing_or_odd_are_nothing() {
    for text in [
        "{}",
        r#"{"success":true,"result":null}"#,
        r#"{"success":true,"result":{}}"#,
        r#"{"success":true,"result":{"messages":{"a":1},"message_backlog_count":-1}}"#,
    ] {
        assert_eq!(batch(text.as_bytes()), Ok(Batch::default()), "{text}");
        assert_eq!(settled(text.as_bytes()), Ok(Settled::default()), "{text}");
    }
}

#[test]
fn what_is_no_answer_of_the_queue_is_unreadable() {
    let whole = answer(&json!([message(&job_text(), "text")]));
    let texts: [&[u8]; 7] = [
        b"",
        b"<!DOCTYPE html><html></html>",
        b"null",
        b"[]",
        br#"{"result":[]}"#,
        br#"{"success":false,"errors":[{"code":1,"message":"no"}]}"#,
        &[0xff; 9],
    ];
    for text in texts {
        assert!(batch(text).is_err() && settled(text).is_err() && sent(text).is_err());
    }
    for end in 0..whole.len() {
        assert!(batch(&whole[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn warnings_are_read_from_a_list_and_from_a_map() {
    let warnings = |warnings: Value| {
        let answer =
            json!({ "result": { "ackCount": 1.0, "retryCount": 2, "warnings": warnings } });
        let settled = settled(answer.to_string().as_bytes()).unwrap();
        assert_eq!((settled.acknowledged, settled.returned), (Some(1), Some(2)));
        settled.warnings
    };
    assert_eq!(warnings(json!(["a", { "b": 1 }])), ["a", r#"{"b":1}"#]);
    assert_eq!(warnings(json!({ "lease": "gone" })), ["lease: gone"]);
    assert!(warnings(json!({})).is_empty() && warnings(json!(null)).is_empty());
}

/// Any JSON, with the names that the reader looks for more often than chance would have them.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        Just(Value::from("text")),
        Just(Value::from(job_text())),
        Just(Value::from(base64(&job_text()))),
    ];
    let name = prop_oneof![
        Just("lease_id".to_owned()),
        Just("body".to_owned()),
        Just("messages".to_owned()),
        Just("result".to_owned()),
        Just("metadata".to_owned()),
        Just("CF-Content-Type".to_owned()),
        Just("attempts".to_owned()),
        Just("warnings".to_owned()),
        ".{0,4}",
    ];
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(name.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn leases_in(value: &Value, found: &mut HashSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| leases_in(value, found)),
        Value::Object(map) => {
            found.extend(
                map.get("lease_id")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
            map.values().for_each(|value| leases_in(value, found));
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
        let _ = (batch(&bytes), settled(&bytes), sent(&bytes), failure(&bytes));
    }

    #[test]
    fn every_lease_comes_from_the_answer_and_comes_once(messages in proptest::collection::vec(any_json(), 0..8)) {
        let messages = json!(messages);
        let batch = batch(&answer(&messages)).unwrap();
        let mut sent = HashSet::new();
        leases_in(&messages, &mut sent);
        let mut seen = HashSet::new();
        for delivery in &batch.deliveries {
            prop_assert!(sent.contains(delivery.lease.as_str()));
            prop_assert!(seen.insert(delivery.lease.clone()));
            prop_assert!(delivery.attempts >= 1);
        }
        let total = messages.as_array().map_or(0, Vec::len);
        prop_assert_eq!(batch.deliveries.len() + batch.without_lease, total);
    }

    #[test]
    fn any_json_is_read_or_refused_but_never_gives_a_lease_it_lacks(value in any_json()) {
        let mut sent = HashSet::new();
        leases_in(&value, &mut sent);
        let _ = settled(value.to_string().as_bytes());
        if let Ok(batch) = batch(value.to_string().as_bytes()) {
            prop_assert!(batch.deliveries.iter().all(|delivery| sent.contains(delivery.lease.as_str())));
        }
    }

    #[test]
    fn a_cut_answer_gives_no_delivery(count in 1_usize..4, cut in 0.0..1.0_f64) {
        let messages: Vec<_> = (0..count).map(|number| json!({ "lease_id": number.to_string(), "body": "é" })).collect();
        let whole = answer(&json!(messages));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a small length")]
        let end = (whole.len() as f64 * cut) as usize;
        prop_assert!(batch(&whole[..end]).is_err());
    }
}
