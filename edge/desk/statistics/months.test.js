import assert from "node:assert/strict";
import { test } from "node:test";
import { isMonth, monthName, monthOf, shifted } from "./months.js";

test("a month begins and ends in UTC", () => {
  assert.equal(monthOf(Date.UTC(2026, 10, 1) / 1000), "2026-11");
  assert.equal(monthOf(Date.UTC(2026, 10, 1) / 1000 - 1), "2026-10");
});

test("months follow each other over the end of a year", () => {
  assert.equal(shifted("2026-11", 1), "2026-12");
  assert.equal(shifted("2026-12", 1), "2027-01");
  assert.equal(shifted("2027-01", -1), "2026-12");
  assert.equal(shifted("2026-01", -13), "2024-12");
});

test("the current month is the last one", () => {
  for (const month of ["2026-11", "2026-01", "2025-12", "2000-01"]) assert.ok(isMonth(month, "2026-11"), month);
  for (const month of ["2026-12", "2027-01"]) assert.ok(!isMonth(month, "2026-11"), month);
});

test("anything else is not a month", () => {
  for (const text of ["", "2026", "2026-1", "2026-00", "2026-13", "0002-11", "1999-12", "2026-11-01", "x2026-11"]) {
    assert.ok(!isMonth(text, "2026-11"), text);
  }
});

test("a month has a name", () => {
  assert.equal(monthName("2026-11"), "November 2026");
  assert.equal(monthName("2026-01"), "January 2026");
});
