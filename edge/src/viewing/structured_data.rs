//! The description of a video for search engines: a `VideoObject` of schema.org, as JSON-LD.
//!
//! Browsers do not run the element that holds it, so the security policy need not allow it.

use super::calendar::rfc3339;
use super::published_video::PublishedVideo;
use contract::api::PublicUrls;
use maud::{Markup, PreEscaped, html};
use serde_json::json;

/// The kind of a work that an AI has made, by schema.org and IPTC.
const MADE_WITH_AI: &str = "https://schema.org/TrainedAlgorithmicMediaDigitalSource";

impl PublishedVideo<'_> {
    pub(super) fn structured_data(&self) -> Markup {
        let PublicUrls { page, embed, video, poster, .. } = self.urls.public(&self.media);
        let (title, description) = (self.title(), self.description());
        let thumbnails = self.urls.thumbnails(&self.media).into_iter().map(|thumbnail| thumbnail.url);
        let pictures = std::iter::once(poster).chain(thumbnails).filter(|_| self.has_preview_picture());
        let mut object = json!({
            "@context": "https://schema.org",
            "@type": "VideoObject",
            "name": title,
            // Required by search engines, so a video without a caption has its title here.
            "description": if description.is_empty() { &title } else { &description },
            "thumbnailUrl": pictures.collect::<Vec<_>>(),
            "isFamilyFriendly": !self.is_sensitive,
            "uploadDate": rfc3339(self.published_at),
            "duration": format!("PT{}S", self.seconds()),
            "contentUrl": video,
            "embedUrl": embed,
            "url": page,
            "width": self.media.width,
            "height": self.media.height,
        });
        let author = self.channel_name.map(|name| json!({ "@type": "Person", "name": name }));
        let made_with_ai = self.is_ai_generated.then(|| json!(MADE_WITH_AI));
        for (name, value) in [("author", author), ("digitalSourceType", made_with_ai)] {
            object.as_object_mut().zip(value).map(|(object, value)| object.insert(name.to_owned(), value));
        }
        html! { script type="application/ld+json" { (PreEscaped(json_in_html(&object.to_string()))) } }
    }
}

/// Escapes what could end the element, or begin a comment in it.
fn json_in_html(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_element() {
        let json = json!({ "name": "</script><!-- & " }).to_string();
        let escaped = json_in_html(&json);
        assert!(!escaped.contains(['<', '>', '&']));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap()["name"], "</script><!-- & ");
    }
}
