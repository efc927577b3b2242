"""Lives the life of a video with the client that openapi-python-client generated from the document: creates a key,
uploads, asks for the status, lists, changes the thumbnail, deletes the video and the key. Prints the content's UUID.
"""

import io
import os
import uuid

from clipgate_api import AuthenticatedClient, Client
from clipgate_api.api.keys import create_api_key, delete_api_key
from clipgate_api.api.uploads import (
    delete_content,
    get_upload_limits,
    get_upload_status,
    list_uploads,
    update_thumbnail,
    upload_video,
)
from clipgate_api.models import (
    DeleteContent,
    EmptyObject,
    Failure,
    KnownContentState,
    KnownErrorCode,
    KnownThumbnailChange,
    UpdateThumbnailForm,
    UploadForm,
)
from clipgate_api.types import File

CAPTION = "From Python"


def accepted(answer):
    """Returns the answer of a success, or fails with the code of a refusal."""
    assert answer is not None and answer.success, getattr(answer, "error_message_code", "an answer of no known form")
    return answer


def upload(program, token):
    with open(os.environ["FILE"], "rb") as clip:
        form = UploadForm(file=File(payload=clip, file_name="clip.mp4"), caption=CAPTION)
        return upload_video.sync_detailed(client=program, body=form, idempotency_key=str(token))


name, _, token = os.environ["SESSION_COOKIE"].partition("=")
owner = Client(base_url=os.environ["BASE_URL"], cookies={name: token})
created = accepted(create_api_key.sync(client=owner, body=EmptyObject()))
assert created.api_key and created.key.uses_count == 0

program = AuthenticatedClient(base_url=os.environ["UPLOAD_URL"], token=created.api_key)
upload_token = uuid.uuid4()
content_uuid = accepted(upload(program, upload_token).parsed).content_uuid
# The day's only upload is used up.
replay = upload(program, upload_token)
assert replay.parsed.content_uuid == content_uuid, "a retry made a second video"
assert replay.headers["Idempotency-Replayed"] == "true"

status = accepted(get_upload_status.sync(client=program, content_uuid=content_uuid))
assert status.state is KnownContentState.PROCESSING and status.caption == CAPTION, status
listed = accepted(list_uploads.sync(client=program, limit=1))
assert listed.uploads[0].content_uuid == content_uuid
limits = accepted(get_upload_limits.sync(client=program))
assert limits.remaining == limits.limit_amount - 1 == 0

picture = File(payload=io.BytesIO(b"\xff\xd8\xff a picture"), file_name="cover.jpg")
form = UpdateThumbnailForm(content_uuid=content_uuid, thumbnail_file=picture)
changed = accepted(update_thumbnail.sync(client=program, body=form))
assert changed.thumbnail_change is KnownThumbnailChange.PENDING, changed

deleted = accepted(delete_content.sync(client=program, body=DeleteContent(content_uuid=content_uuid)))
assert deleted.state is KnownContentState.DELETED, deleted
accepted(delete_api_key.sync(client=owner, body=EmptyObject()))
refused = get_upload_status.sync(client=program, content_uuid=content_uuid)
assert isinstance(refused, Failure) and refused.error_message_code is KnownErrorCode.API_KEY_INVALID, refused
print(content_uuid)
