//! The text that `make run` prints once the stack is up: where it is, and commands to try.

use contract::paths;
use dev::{OriginProcess, Stack};
use std::path::Path;

pub(crate) fn text(stack: &Stack) -> String {
    let address = stack.env.get("BASE_URL");
    format!(
        r#"
Clipgate is running at {address}   (API description: {address}{openapi})

The console, signed in:  {sign_in}
The desk, signed in:     {sign_in}?return_to={address}{desk}

Try it in another terminal, in this folder:

  . {stack_env}

  # Create an API key for the signed-in account. The response is the only place that shows it.
  ANSWER=$({curl} "$BASE_URL{create_api_key}" {post}); echo "$ANSWER"
  API_KEY=$(echo "$ANSWER" | grep -oE 'cgk_[0-9A-Za-z]{{46}}')

  # Upload a video: your own of 2 to 120 seconds, or this test clip.
  ffmpeg -y -loglevel error -f lavfi -i testsrc2=size=1280x720:rate=30:duration=5 -f lavfi -i sine=duration=5 \
    -pix_fmt yuv420p .dev/clip.mp4
  ANSWER=$({curl} "$UPLOAD_URL{upload_video}" {key} -F file=@.dev/clip.mp4); echo "$ANSWER"
  CONTENT_UUID=$(echo "$ANSWER" | grep -oE '"content_uuid":"[^"]+' | cut -d '"' -f 4)

  # Ask for its status. Repeat until it is published; then the status contains the address of its page.
  {curl} "$UPLOAD_URL{upload_status}?content_uuid=$CONTENT_UUID" {key} | tee .dev/status.json
  grep -oE '"page":"[^"]+' .dev/status.json | cut -d '"' -f 4

  # See how many uploads are left today.
  {curl} "$UPLOAD_URL{upload_limits}" {key}

  # Show the key, replace it by a new one, and delete that.
  {curl} "$BASE_URL{get_api_key}" -H "Cookie: $SESSION_COOKIE"
  {curl} "$BASE_URL{rotate_api_key}" {post}
  {curl} "$BASE_URL{delete_api_key}" {post}

The state is kept in {state}. Logs of the Worker and the origins: {logs}. Ctrl-C stops everything.
"#,
        curl = r"curl -sS -w '\n'",
        post = r#"-H "Cookie: $SESSION_COOKIE" -H 'Content-Type: application/json' -d '{}'"#,
        key = r#"-H "Authorization: Bearer $API_KEY""#,
        stack_env = stack.stack_env().display(),
        state = stack.state.display(),
        logs = logs(stack),
        sign_in = stack.env.get("SIGN_IN_URL"),
        desk = paths::DESK,
        openapi = paths::OPENAPI,
        create_api_key = paths::CREATE_API_KEY,
        get_api_key = paths::GET_API_KEY,
        rotate_api_key = paths::ROTATE_API_KEY,
        delete_api_key = paths::DELETE_API_KEY,
        upload_video = paths::UPLOAD_VIDEO,
        upload_status = paths::UPLOAD_STATUS,
        upload_limits = paths::UPLOAD_LIMITS,
    )
}

fn logs(stack: &Stack) -> String {
    let origins = stack.origins.iter().map(OriginProcess::log);
    let logs: Vec<_> = std::iter::once(stack.log()).chain(origins).map(Path::to_string_lossy).collect();
    logs.join(", ")
}
