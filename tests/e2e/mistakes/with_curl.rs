//! The mistakes of those who type curl, with the real curl.

use anyhow::{Context, Result, ensure};
use contract::paths;
use serde_json::Value;
use std::process::Stdio;
use std::sync::Arc;
use tests::{Channel, TestStack, e2e};
use tokio::process::Command;

/// The arguments of curl in a shell, the code, and a part of the text.
const MISTAKES: [(&str, &str, &str); 9] = [
    ("-F file=clip.mp4 $AUTH $UPLOAD", "content_file_invalid_format", "With curl, use `-F file=@clip.mp4`."),
    (
        "--form-string file=@clip.mp4 $AUTH $UPLOAD",
        "content_file_invalid_format",
        "Use curl's `-F` without `--form-string`",
    ),
    (
        "-F 'file=<notes.txt' $AUTH $UPLOAD",
        "content_file_invalid_format",
        "`file` has only 18 bytes of text. With curl",
    ),
    ("-F file=https://a.example/b.mp4 $AUTH $UPLOAD", "content_file_invalid_format", "does not fetch URLs"),
    ("-d file=@clip.mp4 $AUTH $UPLOAD", "request_malformed", "which curl's `-d` sends"),
    ("--data-binary @clip.mp4 -H Content-Type:video/mp4 $AUTH $UPLOAD", "request_malformed", "Send it in a form"),
    ("-F video=@clip.mp4 $AUTH $UPLOAD", "file_not_found", "in a form field named `file`"),
    ("-u $KEY: -F file=@clip.mp4 $UPLOAD", "api_key_invalid", "`curl -u`"),
    ("-d content_uuid=5 $AUTH $DELETE", "request_malformed", "Send JSON with `Content-Type: application/json`."),
];

#[e2e]
async fn the_mistakes_of_curl_are_answered_with_the_line_of_curl(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let folder = stack.folder().join("mistakes-with-curl");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("clip.mp4"), stack.small_video())?;
    std::fs::write(folder.join("notes.txt"), "two lines\nof notes")?;
    for (arguments, code, part) in MISTAKES {
        let mut curl = Command::new("sh");
        let script =
            format!("AUTH=\"-HAuthorization: Bearer $KEY\"; curl -sS {}", arguments.replace("$AUTH", "\"$AUTH\""));
        curl.args(["-c", &script]);
        curl.env("KEY", &channel.key).env("UPLOAD", stack.url(paths::UPLOAD_VIDEO));
        curl.env("DELETE", stack.url(paths::DELETE_CONTENT)).current_dir(&folder).stdin(Stdio::null());
        let output = curl.output().await?;
        let body: Value = serde_json::from_slice(&output.stdout).with_context(|| format!("{arguments}: {output:?}"))?;
        let detail = body["detail"].as_str().unwrap_or_default();
        println!("curl {arguments} | {}: {detail}", body["error_message_code"]);
        ensure!(body["error_message_code"] == code && detail.contains(part), "{arguments}: {body}");
        ensure!(!detail.contains("two lines"), "the content of a file is shown: {detail}");
    }
    Ok(())
}
