-- The trace of the upload that made a content, as the `traceparent` header of W3C Trace Context writes it. Every
-- message about a job of the content names it, so that the logs of all programs have one id for an upload. Null for a
-- content that an older Worker made, and for one that its owner deleted, because its client may have chosen the id.
ALTER TABLE contents ADD COLUMN traceparent TEXT;
