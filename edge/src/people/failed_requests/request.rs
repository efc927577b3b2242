//! A failed request as its owner may see it: short texts without secrets, and nothing of its body.

use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use contract::ErrorCode;
use contract::api::PresentedCredential;
use contract::mistake::hide_secrets;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most characters of each text. All of them fit into a batch, with up to 6 bytes for each in JSON.
const MAX_DETAIL: usize = 300;
const MAX_USER_AGENT: usize = 200;
const MAX_NAME: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailedRequest {
    pub at: UnixSeconds,
    pub id: String,
    pub kind: Arc<Kind>,
}

/// Everything about a failed request that other requests may have in common with it. A client that fails again and
/// again usually fails in the same way, so a batch holds each kind once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kind {
    pub method: String,
    pub path: String,
    pub code: ErrorCode,
    pub field: Option<String>,
    pub detail: Option<String>,
    pub user_agent: Option<String>,
    pub credential: PresentedCredential,
}

/// The parts of a request that are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceivedRequest<'a> {
    pub method: &'a str,
    /// The path of the route, which has no values.
    pub route: &'a str,
    pub user_agent: Option<&'a str>,
    pub credential: PresentedCredential,
}

impl Kind {
    pub(crate) fn new(request: ReceivedRequest<'_>, refusal: &Refusal) -> Self {
        let ReceivedRequest { method, route, user_agent, credential } = request;
        Self {
            method: shortened(method, MAX_NAME),
            path: route.to_owned(),
            code: refusal.code,
            field: refusal.field.as_deref().map(|field| shortened(field, MAX_NAME)),
            detail: refusal.detail.as_deref().map(|detail| shortened(detail, MAX_DETAIL)),
            user_agent: user_agent.map(|agent| shortened(agent, MAX_USER_AGENT)),
            credential,
        }
    }
}

/// Returns a text without secrets, and its first characters if it is longer. Secrets are hidden first, because the
/// beginning of one would not be recognised. Characters that take the most bytes in JSON count twice.
fn shortened(text: &str, most: usize) -> String {
    let text = hide_secrets(text);
    if text.encode_utf16().count() <= most {
        return text;
    }
    let mut left = most.saturating_sub(1);
    let fits = |character: &char| {
        let rest = left.checked_sub(character.len_utf16());
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use proptest::prelude::*;

    /// Any texts, of which some are very long and some have characters that take 12 bytes in JSON.
    pub(in super::super) fn text() -> impl Strategy<Value = String> {
        prop_oneof![".{0,40}", "[a-z \"\\\\]{0,600}", "[\u{1f300}-\u{1f5ff}]{0,500}", "\\PC{0,500}"]
    }

    pub(in super::super) fn code() -> impl Strategy<Value = ErrorCode> {
        prop::sample::select(ErrorCode::ALL)
    }

    prop_compose! {
        pub(in super::super) fn kind()(
            code in code(),
            field in prop::option::of(text()),
            detail in prop::option::of(text()),
            agent in prop::option::of(text()),
            credential in prop::sample::select(
                vec![PresentedCredential::ApiKey, PresentedCredential::DirectUploadToken]),
        ) -> Kind {
            let refusal = Refusal { field: field.map(Into::into), detail, ..Refusal::new(code) };
            let route = contract::paths::RESUMABLE_UPLOAD;
            Kind::new(ReceivedRequest { method: "POST", route, user_agent: agent.as_deref(), credential }, &refusal)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::text;
    use super::*;
    use crate::people::keys::api_key::ApiKey;
    use crate::platform::entropy::random_base62;
    use crate::platform::entropy::testing::Seeded;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_long_text_is_cut_between_characters_and_a_short_one_stays(text in "[^a-zA-Z0-9]{0,60}", most in 2_usize..50) {
            let short = shortened(&text, most);
            let length = text.encode_utf16().count();
            prop_assert!(short.encode_utf16().count() <= most, "{}", short);
            prop_assert_eq!(short == text, length <= most, "{}", short);
            prop_assert!(length <= most || text.starts_with(short.trim_end_matches('…')));
        }

        #[test]
        fn no_part_of_a_kind_ever_shows_a_secret(seed: u64, before in text(), after in text(), which in 0..5_u8) {
            let entropy = &mut Seeded::new(seed);
            let secret = match which {
                0 => ApiKey::generate(entropy).reveal().to_owned(),
                1 => ApiKey::generate(entropy).reveal().replacen("cgk_", "cgd_", 1),
                2 => format!("cgt_{}", random_base62::<59>(entropy)),
                3 => random_base62::<40>(entropy),
                _ => random_base62::<43>(entropy),
            };
            let text = format!("{before}{secret}{after}");
            let refusal = Refusal::malformed(text.as_str()).with_field(&text);
            let credential = PresentedCredential::ApiKey;
            let received =
                ReceivedRequest { method: "GET", route: "/", user_agent: Some(&text), credential };
            let kind = Kind::new(received, &refusal);
            let random = secret.trim_start_matches("cgk_").trim_start_matches("cgd_").trim_start_matches("cgt_");
            for shown in [&kind.field, &kind.detail, &kind.user_agent].into_iter().flatten() {
                prop_assert!(!shown.contains(&random[..8]), "{}", shown);
            }
        }
    }

    #[test]
    fn markup_and_pictures_in_a_user_agent_stay_text() {
        let user_agent = Some("<b>\u{1f4f1}\"app\"</b>/1.0");
        let received =
            ReceivedRequest { method: "GET", route: "/", user_agent, credential: PresentedCredential::ApiKey };
        let kind = Kind::new(received, &Refusal::new(ErrorCode::NotFound));
        assert_eq!(kind.user_agent.as_deref(), user_agent);
        assert_eq!((kind.field, kind.detail), (None, None));
    }
}
