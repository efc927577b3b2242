//! The texts and the metadata of an upload are stored with its content.

use super::scene::{Scene, form, small_video};
use contract::FormField;

#[test]
fn metadata_is_stored_unless_it_is_empty() {
    for (sent, contents_with_it) in [
        ("{}", "SELECT count(*) AS number FROM contents WHERE metadata IS NULL"),
        (r#"{"a":"1"}"#, r#"SELECT count(*) AS number FROM contents WHERE metadata = '{"a":"1"}'"#),
    ] {
        let scene = Scene::new(10);
        let form = form(&small_video()).text("metadata", sent);
        scene.upload(&scene.world.process(None), 1, form).unwrap().unwrap();
        assert_eq!(scene.count(contents_with_it), 1, "{sent}");
    }
}

#[test]
fn every_text_is_stored() {
    for field in FormField::ALL.iter().filter(|field| field.max_characters().is_some()) {
        let scene = Scene::new(10);
        let form = form(&small_video()).text(field.name(), "a word");
        scene.upload(&scene.world.process(None), 1, form).unwrap().unwrap();
        let stored = format!("SELECT count(*) AS number FROM contents WHERE {} = 'a word'", field.name());
        assert_eq!(scene.count(stored.leak()), 1, "{field:?}");
    }
}
