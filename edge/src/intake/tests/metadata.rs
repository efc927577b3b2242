//! Metadata: what a content has of it.

use super::scene::{Scene, form, small_video};

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
