//! The description of a video for search engines: a `VideoObject` of schema.org, as JSON-LD.
//!
//! Browsers do not run the element that holds it, so the security policy need not allow it.

use super::calendar::rfc3339;
use super::published_video::PublishedVideo;
use contract::api::PublicUrls;
use maud::{Markup, PreEscaped, html};
use serde_json::json;

impl PublishedVideo<'_> {
    pub(super) fn structured_data(&self) -> Markup {
        let PublicUrls { page, embed, video, poster, .. } = self.urls.public(&self.media);
        let (title, description) = (self.title(), self.description());
        let thumbnails = self.urls.thumbnails(&self.media).into_iter().map(|thumbnail| thumbnail.url);
        let mut object = json!({
            "@context": "https://schema.org",
            "@type": "VideoObject",
            "name": title,
            // Required by search engines, so a video without a caption has its title here.
            "description": if description.is_empty() { &title } else { &description },
            "thumbnailUrl": std::iter::once(poster).chain(thumbnails).collect::<Vec<_>>(),
            "uploadDate": rfc3339(self.published_at),
            "duration": format!("PT{}S", self.seconds()),
            "contentUrl": video,
            "embedUrl": embed,
            "url": page,
            "width": self.media.width,
            "height": self.media.height,
        });
        if let (Some(name), Some(object)) = (self.channel_name, object.as_object_mut()) {
            object.insert("author".to_owned(), json!({ "@type": "Person", "name": name }));
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
