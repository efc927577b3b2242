import assert from "node:assert/strict";
import { test } from "node:test";
import { distanceInWords, groupMatches, isOneDecision, mayHaveMatches, orientationInWords } from "./matches.js";

const finding = (check, recommendation) => ({ check, recommendation });
const flag = (hash) => ({ flagged_at_unix: 1, hash, reports: 0, latest_reports: [] });

test("matches are asked for only if something says that there are some", () => {
  const asks = (findings, flag = null) => mayHaveMatches({ findings, flag });
  assert.ok(asks([finding("black", "review"), finding("blocklist", "review")]));
  assert.ok(asks([finding("blocklist", "reject")]));
  assert.ok(asks([], flag("0f")));
  assert.ok(!asks([]));
  assert.ok(!asks([finding("blocklist", "pass"), finding("black", "reject")], flag(null)));
});

test("the distance is said with its limit", () => {
  assert.equal(distanceInWords(38), "38 of 256 bits differ; up to 72 is a match");
  assert.equal(distanceInWords(1), "1 of 256 bits differs; up to 72 is a match");
  assert.equal(distanceInWords(0), "All 256 bits are the same");
});

test("every orientation has its own words, and none if nothing was changed", () => {
  const words = (turned_degrees, is_mirrored, is_inverted) =>
    orientationInWords({ turned_degrees, is_mirrored, is_inverted });
  assert.equal(words(0, false, false), null);
  assert.equal(words(0, true, false), "Mirrored");
  assert.equal(words(90, false, false), "Turned by 90° clockwise");
  assert.equal(words(270, true, false), "Mirrored, turned by 90° counterclockwise");
  assert.equal(words(180, true, true), "Mirrored top to bottom, colors inverted");
  assert.equal(words(0, false, true), "Colors inverted");
  const all = [0, 90, 180, 270].flatMap((degrees) =>
    [true, false].flatMap((mirrored) => [true, false].map((inverted) => words(degrees, mirrored, inverted))));
  assert.equal(new Set(all).size, 16);
});

test("frames of one removed video are together, in the order of the closest", () => {
  const match = (content_uuid, distance_bits) => ({ distance_bits, blocked: { content_uuid } });
  const groups = groupMatches([match("a", 1), match(null, 2), match("b", 3), match("a", 4), match(null, 5)]);
  const seen = groups.map(({ uuid, matches }) => [uuid, matches.map(({ distance_bits }) => distance_bits)]);
  assert.deepEqual(seen, [["a", [1, 4]], [null, [2]], ["b", [3]], [null, [5]]]);
});

test("frames that were blocked together share their reason", () => {
  const match = (reason, at_ms) => ({ blocked: { reason, by: "Ada", added_at_unix: 7, at_ms } });
  assert.ok(isOneDecision([match("r", 1), match("r", 2)]));
  assert.ok(!isOneDecision([match("r", 1), match("s", 1)]));
});
