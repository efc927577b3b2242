//! No accepted form has more bytes after its file than the bound that is known when the file begins.

use super::*;
use crate::base::unknown_fields::UnknownFields;
use crate::uploads::form::DataOwner;
use contract::limits::MAX_CAPTIONS_BYTES;
use multipart::{Boundary, FormEvent, Parser};
use proptest::collection::vec;
use proptest::prelude::*;

/// A boundary of the maximum length.
const BOUNDARY: &str = "----------------------the-longest-boundary-of-70-characters-0123456789";

/// A form part besides the file, with the number of bytes of its data.
#[derive(Clone, Copy, Debug)]
enum OtherPart {
    Text(FormField, usize),
    Picture(usize),
    /// Captions in one of `LANGUAGES`.
    Captions(usize, usize),
    Unknown(usize),
}

/// One language more than an upload may have.
const LANGUAGES: [&str; 9] = [
    "captions_file_de",
    "captions_file_en",
    "captions_file_es",
    "captions_file_fr",
    "captions_file_it",
    "captions_file_nl",
    "captions_file_pl",
    "captions_file_pt-BR",
    "captions_file_zh-Hant",
];

/// A form with one file. Each part has an extra header of the given length.
#[derive(Clone, Debug)]
struct TestForm {
    before: Vec<(OtherPart, usize)>,
    after: Vec<(OtherPart, usize)>,
    epilogue: usize,
}

/// A body, and where its file ends.
struct TestBody {
    bytes: Vec<u8>,
    file_end: usize,
}

impl OtherPart {
    fn name(self) -> &'static str {
        match self {
            Self::Text(field, _) => field.name(),
            Self::Picture(_) => THUMBNAIL_FILE,
            Self::Captions(language, _) => LANGUAGES[language],
            Self::Unknown(_) => "unknown",
        }
    }

    /// Returns data of this length, which is valid unless it is too long.
    fn data(self) -> Vec<u8> {
        let valid = match self {
            Self::Text(_, 0) => "",
            Self::Text(field, length) if field.max_characters().is_some() => {
                return [vec![b'x'; length % 4], "🎬".repeat(length / 4).into_bytes()].concat();
            }
            Self::Text(FormField::Metadata, length) => {
                return [vec![b' '; length.saturating_sub(2)], b"{}".to_vec()].concat();
            }
            Self::Text(FormField::ThumbnailTime, _) => "00:00:01",
            Self::Text(FormField::SuperCategoryId, _) => "7",
            Self::Text(FormField::ScheduledPublishAt, _) => "2000000000",
            Self::Text(FormField::Visibility, _) => "unlisted",
            Self::Text(FormField::Test, _) => "content_upload_limit_failure",
            Self::Text(FormField::IsSensitive | FormField::IsAiGenerated, _) => "true",
            Self::Text(..) => "0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60",
            // Lines before the first time are not part of the text.
            Self::Captions(_, length) => {
                const CUE: &[u8] = b"\n00:00:01,000 --> 00:00:02,000\nHello\n";
                return [vec![b'x'; length.saturating_sub(CUE.len())], CUE.to_vec()].concat();
            }
            Self::Picture(length) | Self::Unknown(length) => return vec![b'x'; length],
        };
        valid.as_bytes().to_vec()
    }
}

fn part(name: &str, padding: usize, data: &[u8]) -> Vec<u8> {
    let disposition = format!("Content-Disposition: form-data; name=\"{name}\"");
    let padding = if padding > 0 { format!("X: {}\r\n", "p".repeat(padding)) } else { String::new() };
    let head = format!("--{BOUNDARY}\r\n{disposition}\r\n{padding}\r\n");
    [head.as_bytes(), data, b"\r\n"].concat()
}

impl TestForm {
    fn body(&self) -> TestBody {
        let write = |parts: &[(OtherPart, usize)]| -> Vec<u8> {
            let parts: Vec<_> =
                parts.iter().map(|(other, padding)| part(other.name(), *padding, &other.data())).collect();
            parts.concat()
        };
        let file = part("file", 0, b"a video");
        let closing = format!("--{BOUNDARY}--{}", "e".repeat(self.epilogue));
        let front = [write(&self.before), file].concat();
        let file_end = front.len() - "\r\n".len();
        TestBody { bytes: [front, write(&self.after), closing.into_bytes()].concat(), file_end }
    }
}

/// Reads a body until its end or its first error. Returns whether it is valid, and the bound at the beginning of the
/// file.
fn read(bytes: &[u8]) -> (bool, u64) {
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    let boundary = Boundary::from_content_type(&content_type).unwrap();
    let (mut parser, mut form) =
        (Parser::new(&boundary, Caps::default()), Form::new(None, UnknownFields::ignoring(), None));
    let (mut input, mut bound) = (bytes, 0);
    loop {
        let is_valid = match parser.next_event(&mut input) {
            Ok(None) => return (true, bound),
            Err(_) => false,
            Ok(Some(FormEvent::PartBegin(head))) => {
                let owner = form.begin(&head);
                if owner.as_ref().is_ok_and(|owner| *owner == DataOwner::File) {
                    bound = form.max_bytes_after_file(BOUNDARY.len());
                }
                owner.is_ok()
            }
            Ok(Some(FormEvent::Data(data))) => form.data(data).is_ok(),
            Ok(Some(FormEvent::PartEnd)) => form.end().is_ok(),
            Ok(Some(FormEvent::End)) => true,
        };
        if !is_valid {
            return (false, bound);
        }
    }
}

fn max_bytes(field: FormField) -> usize {
    field.max_text_bytes().unwrap()
}

/// Generates lengths of up to twice the limit, often at or near the limit.
fn length(limit: usize) -> impl Strategy<Value = usize> {
    prop_oneof![3 => 0..=16_usize, 2 => limit.saturating_sub(4)..=limit + 1, 1 => 0..=2 * limit]
}

fn other_part() -> impl Strategy<Value = (OtherPart, usize)> {
    let text = proptest::sample::select(FormField::texts().collect::<Vec<_>>());
    let text = text.prop_flat_map(|field| length(max_bytes(field)).prop_map(move |size| OtherPart::Text(field, size)));
    let picture = length(MAX_THUMBNAIL_BYTES).prop_map(OtherPart::Picture);
    let captions = prop_oneof![3 => 0..=200_usize, 1 => length(MAX_CAPTIONS_BYTES)];
    let captions = (0..LANGUAGES.len(), captions).prop_map(|(language, length)| OtherPart::Captions(language, length));
    let unknown = length(64 * 1024).prop_map(OtherPart::Unknown);
    let few_bytes = (0..=3_000_usize).prop_map(OtherPart::Unknown);
    let other = prop_oneof![4 => text, 1 => picture, 3 => captions, 1 => unknown, 4 => few_bytes];
    (other, prop_oneof![3 => Just(0), 1 => length(4_000)])
}

fn form() -> impl Strategy<Value = TestForm> {
    let epilogue = prop_oneof![Just(2), length(4_096)];
    (vec(other_part(), 0..6), vec(other_part(), 0..35), epilogue).prop_map(|(before, after, epilogue)| TestForm {
        before,
        after,
        epilogue,
    })
}

/// Returns a form that has as many bytes after its file as a valid form can have.
fn largest() -> TestForm {
    let text = |field: FormField| OtherPart::Text(field, max_bytes(field));
    let known = FormField::texts().filter(|field| *field != FormField::ThumbnailTime).map(text);
    let captions = (0..8).map(|language| OtherPart::Captions(language, MAX_CAPTIONS_BYTES / 8));
    let files = captions.chain([OtherPart::Picture(MAX_THUMBNAIL_BYTES), OtherPart::Unknown(64 * 1024)]);
    let mut parts: Vec<_> = known.chain(files).map(|part| (part, 900)).collect();
    let unknown = Caps::default().parts - 1 - parts.len();
    parts.extend(vec![(OtherPart::Unknown(0), 900); unknown]);
    TestForm { before: Vec::new(), after: parts, epilogue: Caps::default().epilogue_bytes }
}

impl TestForm {
    /// Adds a byte to the first part of this kind.
    fn grow(&mut self, is_meant: impl Fn(OtherPart) -> bool) {
        let part = self.after.iter_mut().map(|(part, _)| part).find(|part| is_meant(**part)).unwrap();
        match part {
            OtherPart::Text(_, length)
            | OtherPart::Picture(length)
            | OtherPart::Captions(_, length)
            | OtherPart::Unknown(length) => *length += 1,
        }
    }
}

/// Pads the headers of the form until no more are accepted.
fn fill_headers(mut form: TestForm) -> TestForm {
    let is_accepted = |form: &TestForm| read(&form.body().bytes).0;
    let mut step = 2_048;
    while step > 0 {
        form.after[0].1 += step;
        if !is_accepted(&form) {
            form.after[0].1 -= step;
            step /= 2;
        }
    }
    form
}

#[test]
fn the_largest_form_is_accepted_and_nearly_reaches_the_bound() {
    let body = fill_headers(largest()).body();
    let (is_accepted, bound) = read(&body.bytes);
    assert!(is_accepted);
    let after_file = (body.bytes.len() - body.file_end) as u64;
    assert!((bound - 512..=bound).contains(&after_file), "{after_file} of {bound}");
}

#[test]
fn a_boundary_can_follow_the_file_once_for_each_part_and_once_at_the_end() {
    let bound = |boundary_length| Form::default().max_bytes_after_file(boundary_length);
    assert_eq!(bound(11) - bound(10), Caps::default().parts as u64 + 1);
}

#[test]
fn one_byte_more_of_anything_than_the_largest_form_has_is_refused() {
    let largest = fill_headers(largest());
    let changes: [fn(&mut TestForm); 7] = [
        |form| form.epilogue += 1,
        |form| form.after[1].1 += 1,
        |form| form.after.push((OtherPart::Unknown(0), 0)),
        |form| form.grow(|part| matches!(part, OtherPart::Unknown(_))),
        |form| form.grow(|part| matches!(part, OtherPart::Text(FormField::Caption, _))),
        |form| form.grow(|part| matches!(part, OtherPart::Picture(_))),
        |form| form.grow(|part| matches!(part, OtherPart::Captions(..))),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut form = largest.clone();
        change(&mut form);
        assert!(!read(&form.body().bytes).0, "change {number}");
    }
}

#[test]
fn without_a_picture_and_captions_the_bound_is_far_below_a_part() {
    let all_captions = OtherPart::Captions(0, MAX_CAPTIONS_BYTES);
    let texts: usize = FormField::texts().map(max_bytes).sum();
    for (before, most_besides_texts) in [
        (vec![OtherPart::Text(FormField::ThumbnailTime, 8), all_captions], 106_000),
        (vec![OtherPart::Picture(10), all_captions], 106_000),
        (vec![OtherPart::Text(FormField::ThumbnailTime, 0), all_captions], 2_106_000),
        (vec![OtherPart::Picture(10)], 636_000),
    ] {
        let most = (texts + most_besides_texts) as u64;
        let parts = before.iter().map(|part| (*part, 0)).collect();
        let form = TestForm { before: parts, after: Vec::new(), epilogue: 2 };
        let (is_accepted, bound) = read(&form.body().bytes);
        assert!(is_accepted && bound < most && bound > most - 10_000, "{before:?}: {bound}");
    }
}

#[test]
fn the_shortest_end_of_a_body_is_its_last_boundary() {
    assert_eq!(Form::min_bytes_after_file(5), "\r\n--\r\n".len() as u64 + 5);
    assert_eq!(Form::min_bytes_after_file("b".len()), "\r\n--b--".len() as u64);
}

#[test]
fn each_text_field_that_is_missing_is_likely_to_follow_the_file_with_its_headers_and_a_boundary() {
    let mut form = Form::default();
    let texts: usize = FormField::texts().filter_map(FormField::max_text_bytes).sum();
    let fields = FormField::texts().count();
    for (missing, texts) in [(fields, texts), (fields - 1, texts - max_bytes(FormField::Caption))] {
        let around = (missing + 1) * "\r\n--boundary\r\n".len() + missing * 200;
        assert_eq!(form.likely_bytes_after_file("boundary".len()), (around + texts) as u64);
        form.seen.push(FormField::Caption.name());
    }
}

#[test]
fn a_body_can_have_a_preamble_and_all_other_parts_besides_its_file() {
    let after = Form::default().max_bytes_after_file(BOUNDARY.len());
    assert_eq!(Form::max_bytes_beside_file(BOUNDARY.len()), after + Caps::default().preamble_bytes as u64);
    assert!(after > (MAX_THUMBNAIL_BYTES + MAX_CAPTIONS_BYTES) as u64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(fixtures::cases(60, 3_000)))]

    #[test]
    fn a_form_with_more_behind_its_file_than_the_bound_is_refused_at_the_next_byte(form in form()) {
        let TestBody { bytes, file_end } = form.body();
        let (_, bound) = read(&bytes[..file_end]);
        let first_byte_too_many = file_end + usize::try_from(bound).unwrap() + 1;
        if let Some(too_many) = bytes.get(..first_byte_too_many) && bound > 0 {
            prop_assert!(!read(too_many).0);
        }
    }

    #[test]
    fn an_accepted_form_has_no_more_behind_its_file_than_the_bound(form in form()) {
        let TestBody { bytes, file_end } = form.body();
        let (is_accepted, bound) = read(&bytes);
        prop_assert!(!is_accepted || (bytes.len() - file_end) as u64 <= bound);
    }
}
