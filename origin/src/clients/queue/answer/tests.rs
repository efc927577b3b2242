use super::*;
use contract::job::JobWork;
use fixtures::cases;
use proptest::prelude::*;
use serde_json::json;

fn sample_job() -> JobMessage {
    JobMessage {
        version: contract::JOB_VERSION,
        content_id: 7,
        content_uuid: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff".to_owned(),
        generation: 1,
        work: JobWork::Video,
        traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
    }
}

fn job_text() -> String {
    serde_json::to_string(&sample_job()).unwrap()
}

fn base64(text: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// Returns a complete answer to a pull, with these messages.
fn pull_answer(messages: &Value) -> Vec<u8> {
    json!({ "success": true, "errors": [], "messages": [],
            "result": { "message_backlog_count": 3, "messages": messages } })
    .to_string()
    .into_bytes()
}

fn message(body: &str, content_type: &str) -> Value {
    json!({ "body": body, "id": "m", "timestamp_ms": 5, "attempts": 2,
            "metadata": { "CF-Content-Type": content_type }, "lease_id": "l" })
}

fn parse_only(message: &Value) -> QueueMessage {
    let mut messages = parse_batch(&pull_answer(&json!([message]))).unwrap().messages;
    assert_eq!(messages.len(), 1);
    messages.remove(0)
}

#[test]
fn every_field_of_a_complete_message_is_read() {
    let expected = QueueMessage {
        lease: LeaseId("l".to_owned()),
        message_id: "m".to_owned(),
        delivery_attempt: 2,
        sent_at_ms: Some(5),
        job: Ok(sample_job()),
    };
    assert_eq!(parse_only(&message(&job_text(), "text")), expected);
    assert_eq!(parse_batch(&pull_answer(&json!([]))).unwrap().backlog, Some(3));
}

#[test]
fn a_body_is_decoded_according_to_its_content_type() {
    for content_type in ["json", "bytes", "JSON"] {
        let message = message(&base64(&job_text()), content_type);
        assert_eq!(parse_only(&message).job, Ok(sample_job()), "{content_type}");
    }
}

#[test]
fn a_job_with_an_unknown_content_type_is_still_found() {
    for body in [job_text(), base64(&job_text())] {
        assert_eq!(parse_only(&message(&body, "v9")).job, Ok(sample_job()));
        assert_eq!(parse_only(&json!({ "lease_id": "l", "body": body })).job, Ok(sample_job()));
    }
}

#[test]
fn a_body_without_a_job_of_this_version_is_invalid_and_keeps_its_lease() {
    let newer = job_text().replace("\"version\":1", "\"version\":2");
    let bodies = ["", "{}", "[]", "null", "<html>", r#"{"version":1}"#, &newer];
    for body in bodies {
        let message = parse_only(&message(body, "text"));
        assert_eq!(message.lease.as_str(), "l");
        let invalid = message.job.unwrap_err();
        assert_eq!(invalid.text.as_deref(), Some(body), "{}", invalid.reason);
    }
}

#[test]
fn a_body_that_cannot_be_decoded_is_invalid() {
    for message in [
        message(&job_text(), "json"),
        message("/w==", "bytes"),
        json!({ "lease_id": "l" }),
        json!({ "lease_id": "l", "body": 7, "metadata": [] }),
    ] {
        assert!(parse_only(&message).job.is_err());
    }
}

#[test]
fn a_message_without_a_lease_of_its_own_is_counted_and_skipped() {
    let body = job_text();
    let messages = json!([
        { "body": body }, { "body": body, "lease_id": "" }, { "body": body, "lease_id": 7 },
        { "body": body, "lease_id": "a" }, { "body": body, "lease_id": "a" }, "not an object", null,
    ]);
    let batch = parse_batch(&pull_answer(&messages)).unwrap();
    assert_eq!(batch.messages.len(), 1);
    assert_eq!(batch.without_lease, 6);
}

#[test]
fn a_hundred_messages_are_all_read() {
    let messages: Vec<_> =
        (0..100).map(|number| json!({ "lease_id": number.to_string(), "body": job_text() })).collect();
    let batch = parse_batch(&pull_answer(&json!(messages))).unwrap();
    assert_eq!(batch.messages.len(), 100);
    assert!(batch.messages.iter().all(|message| message.job.is_ok()));
}

#[test]
fn missing_or_invalid_fields_count_as_absent() {
    for text in [
        "{}",
        r#"{"success":true,"result":null}"#,
        r#"{"success":true,"result":{}}"#,
        r#"{"success":true,"result":{"messages":{"a":1},"message_backlog_count":-1}}"#,
    ] {
        assert_eq!(parse_batch(text.as_bytes()), Ok(MessageBatch::default()), "{text}");
        assert_eq!(parse_settle_summary(text.as_bytes()), Ok(SettleSummary::default()), "{text}");
    }
}

#[test]
fn an_answer_that_the_queue_never_sends_is_unreadable() {
    let complete = pull_answer(&json!([message(&job_text(), "text")]));
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
        assert!(parse_batch(text).is_err() && parse_settle_summary(text).is_err() && check_sent(text).is_err());
    }
    for end in 0..complete.len() {
        assert!(parse_batch(&complete[..end]).is_err(), "truncated at {end}");
    }
}

#[test]
fn warnings_are_read_from_a_list_or_a_map() {
    let warnings = |warnings: Value| {
        let answer = json!({ "result": { "ackCount": 1.0, "retryCount": 2, "warnings": warnings } });
        let summary = parse_settle_summary(answer.to_string().as_bytes()).unwrap();
        assert_eq!((summary.acknowledged, summary.returned), (Some(1), Some(2)));
        summary.warnings
    };
    assert_eq!(warnings(json!(["a", { "b": 1 }])), ["a", r#"{"b":1}"#]);
    assert_eq!(warnings(json!({ "lease": "gone" })), ["lease: gone"]);
    assert!(warnings(json!({})).is_empty() && warnings(json!(null)).is_empty());
}

/// Generates any JSON, with the field names and values of real answers more often than by chance.
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

fn collect_leases(value: &Value, leases: &mut HashSet<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| collect_leases(value, leases)),
        Value::Object(map) => {
            leases.extend(map.get("lease_id").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| collect_leases(value, leases));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(64, 1024)))]

    #[test]
    fn no_input_makes_the_parsers_panic(bytes: Vec<u8>) {
        let _ = (parse_batch(&bytes), parse_settle_summary(&bytes), check_sent(&bytes), error_text(&bytes));
    }

    #[test]
    fn every_lease_comes_from_the_answer_and_occurs_once(messages in proptest::collection::vec(any_json(), 0..8)) {
        let messages = json!(messages);
        let batch = parse_batch(&pull_answer(&messages)).unwrap();
        let mut sent_leases = HashSet::new();
        collect_leases(&messages, &mut sent_leases);
        let mut seen_leases = HashSet::new();
        for message in &batch.messages {
            prop_assert!(sent_leases.contains(message.lease.as_str()));
            prop_assert!(seen_leases.insert(message.lease.clone()));
            prop_assert!(message.delivery_attempt >= 1);
        }
        let total = messages.as_array().map_or(0, Vec::len);
        prop_assert_eq!(batch.messages.len() + batch.without_lease, total);
    }

    #[test]
    fn no_json_yields_a_lease_that_it_does_not_contain(value in any_json()) {
        let mut sent_leases = HashSet::new();
        collect_leases(&value, &mut sent_leases);
        let _ = parse_settle_summary(value.to_string().as_bytes());
        if let Ok(batch) = parse_batch(value.to_string().as_bytes()) {
            prop_assert!(batch.messages.iter().all(|message| sent_leases.contains(message.lease.as_str())));
        }
    }

    #[test]
    fn a_truncated_answer_is_unreadable(count in 1_usize..4, cut in 0.0..1.0_f64) {
        let messages: Vec<_> = (0..count).map(|number| json!({ "lease_id": number.to_string(), "body": "é" })).collect();
        let complete = pull_answer(&json!(messages));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a small length")]
        let end = (complete.len() as f64 * cut) as usize;
        prop_assert!(parse_batch(&complete[..end]).is_err());
    }
}
