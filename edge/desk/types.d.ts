// What the desk gets from `/internal`.

export type Claim = { by: string; until_unix: number };
export type Finding = {
  check: string; recommendation: string; from_ms?: number; until_ms?: number; score?: number; note?: string;
};
/** Near-duplicates that wait for a person. */
export type Group = { content_uuids: string[]; is_same_file: boolean };
export type Report = { reason: string; text: string; reported_at_unix: number };
export type Flag = { flagged_at_unix: number; hash: string | null; reports: number; latest_reports: Report[] };
export type Decision = {
  action: string; content_uuid: string | null; hash: string | null; by: string; reason: string;
  policy_code: string | null; decided_at_unix: number;
};
export type Label = "is_sensitive" | "is_ai_generated";
export type Content = {
  content_uuid: string; channel_id: number; state: string; waits_for: "person" | "check" | null;
  caption: string | null; summary: string | null; slug_url: string; media_name: string; created_at_unix: number;
  visibility: "public" | "unlisted"; is_sensitive: boolean; is_ai_generated: boolean; moderator_labels: Label[];
  published_at_unix: number | null; video_url: string | null;
};
export type Channel = {
  channel_id: number; name: string | null; is_suspended: boolean; created_at_unix: number; published: number;
  rejected: number; taken_down: number; processing: number;
};
export type Subtitles = { language: string; url: string };
export type Appeal = {
  state: "pending" | "granted" | "rejected"; text: string; made_at_unix: number; decided_by: string;
};
export type Case = {
  content: Content; duration_ms: number; scheduled_publish_at_unix: number | null; waits_since_unix: number | null;
  findings: Finding[]; flag: Flag | null; decisions: Decision[]; channel: Channel; poster_url: string | null;
  storyboard_url: string | null; storyboard_vtt_url: string | null; subtitles: Subtitles[]; video_url: string | null;
  claim: Claim | null; appeal: Appeal | null;
};
export type Kept = {
  content_uuid: string; channel_id: number; state: string; caption: string | null; deleted_at_unix: number;
  kept_until_unix: number;
};
export type Policy = {
  policy_code: string; name: string; text: string; severity: number; may_be_appealed: boolean;
};
/** `rest_after`: the number of distressing videos in a day after which the desk suggests a break; null: never. */
export type Person = { name: string; roles: string[]; ends_at_unix: number; rest_after: number | null };
export type Counts = { waiting_for_person: number; waiting_for_check: number; flagged: number; appealed: number };
export type Action = "approve" | "reject" | "take_down" | "restore" | "dismiss" | "reject_appeal";
export type BlockedHash = {
  hash: string; reason: string; by: string; added_at_unix: number; content_uuid: string | null; at_ms: number | null;
  caught: number;
};
/** A frame of a video that resembles a blocked picture, which was mirrored first and turned clockwise then. */
export type Match = {
  at_ms: number; hash: string; distance_bits: number; turned_degrees: 0 | 90 | 180 | 270; is_mirrored: boolean;
  is_inverted: boolean; blocked: BlockedHash; storyboard_url: string | null; storyboard_vtt_url: string | null;
};
export type Frame = { at_ms: number; hash: string; is_blocked: boolean };
export type TrailEntry = {
  number: number; happened_at_unix: number; actor: string; action: string; subject: string; detail: string | null;
  network: string | null; route: string | null;
};
export type DecisionCount = {
  action: string; policy_code: string | null; number: number; median_seconds: number | null;
};
export type Statistics = {
  month: string; decisions: DecisionCount[]; automatic_rejections: number;
  appeals: { made: number; granted: number; rejected: number };
};
export type NamedToken = {
  token_id: number; name: string; roles: string[]; created_at_unix: number; created_by: string; ends_at_unix: number;
};
