import assert from "node:assert/strict";
import { test } from "node:test";
import { problemOfName, withRole } from "./roles.js";

test("a role is switched on and off, in the order of the list", () => {
  assert.deepEqual(withRole(["decide"], "look", true), ["look", "decide"]);
  assert.deepEqual(withRole(["look", "decide"], "look", false), ["decide"]);
});

test("the role of the back end has no other beside it", () => {
  assert.deepEqual(withRole(["look", "decide"], "service", true), ["service"]);
  assert.deepEqual(withRole(["service"], "watch", true), ["watch"]);
});

test("a name says who it is, and is none that the service uses", () => {
  assert.equal(problemOfName("Ada"), null);
  assert.equal(problemOfName("the operator"), null);
  for (const name of ["", " ", " operator ", "account:7"]) assert.ok(problemOfName(name), name);
});
