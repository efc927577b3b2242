import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf, characters, editedForm, fieldOfError, formOf, mistakesIn } from "./edit.js";

/** @returns {any} */
const video = (/** @type {object} */ fields = {}) => ({
  caption: "Hello", super_category_id: 3, ai_summary_of_content: null, external_id: null,
  metadata: { campaign: "spring", b: "1" }, visibility: "public", is_sensitive: false, is_ai_generated: false,
  moderator_labels: [], ...fields,
});

test("a form without edits changes nothing", () => {
  assert.deepEqual(changesOf({}, video()), {});
  assert.deepEqual(changesOf(formOf(video()), video()), {});
  assert.deepEqual(changesOf(formOf(video({ caption: "a\r\nb" })), video({ caption: "a\nb" })), {});
});

test("only the fields that differ are sent", () => {
  assert.deepEqual(changesOf({ caption: "Hi", external_id: "7" }, video()), { caption: "Hi", external_id: "7" });
  assert.deepEqual(changesOf({ super_category_id: "4" }, video()), { super_category_id: 4 });
});

test("an empty field removes its value", () => {
  const empty = { caption: "", super_category_id: "", metadata: [] };
  assert.deepEqual(changesOf(empty, video()), { caption: null, super_category_id: null, metadata: null });
});

test("visibility and labels are changed in both directions", () => {
  const set = { visibility: "unlisted", is_sensitive: true, is_ai_generated: true };
  assert.deepEqual(changesOf(set, video()), set);
  const unset = { visibility: "public", is_sensitive: false };
  assert.deepEqual(changesOf(unset, video(set)), unset);
});

test("a label that a moderator has set stays, whatever was edited before", () => {
  const labelled = video({ is_sensitive: true, moderator_labels: ["is_sensitive"] });
  const edits = { is_sensitive: false, is_ai_generated: true };
  assert.equal(editedForm(edits, labelled).is_sensitive, true);
  assert.deepEqual(changesOf(edits, labelled), { is_ai_generated: true });
});

test("metadata is compared by its names and values, not by its order, and empty rows do not count", () => {
  const rows = [{ name: "b", value: "1" }, { name: "", value: "" }, { name: "campaign", value: "spring" }];
  assert.deepEqual(changesOf({ metadata: rows }, video()), {});
  assert.deepEqual(changesOf({ metadata: rows.slice(0, 2) }, video()), { metadata: { b: "1" } });
  assert.deepEqual(changesOf({ metadata: [] }, video({ metadata: {} })), {});
});

test("a name like that of a member of every object is a name like any other", () => {
  const changes = changesOf({ metadata: [{ name: "__proto__", value: "x" }] }, video({ metadata: {} }));
  assert.equal(JSON.stringify(changes), '{"metadata":{"__proto__":"x"}}');
});

test("mistakes that a request cannot express are found before it is sent", () => {
  const form = formOf(video());
  assert.deepEqual(mistakesIn(form), {});
  assert.match(mistakesIn({ ...form, caption: "😀".repeat(2201) }).caption, /by 1 character\./);
  assert.match(mistakesIn({ ...form, metadata: [{ name: "", value: "x" }] }).metadata, /no name/);
  const twice = [{ name: "a", value: "1" }, { name: "a", value: "2" }];
  assert.match(mistakesIn({ ...form, metadata: twice }).metadata, /Two rows are named “a”/);
});

test("an error is shown at its field", () => {
  assert.equal(fieldOfError("metadata.campaign"), "metadata");
  assert.equal(fieldOfError("caption"), "caption");
  assert.equal(fieldOfError("is_sensitive"), "is_sensitive");
  assert.equal(fieldOfError("content_uuid"), null);
  assert.equal(fieldOfError(null), null);
});

test("an emoji is one character", () => assert.equal(characters("a😀"), 2));
