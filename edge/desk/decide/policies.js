// The policies that a rejection or a take-down names, in the operator's order.
import { signal } from "@preact/signals";
import { get } from "../api.js";

export const policies = signal(/** @type {import("../types").Policy[]} */ ([]));

export async function readPolicies() {
  policies.value = (await get("/moderation/policies")).policies;
}

/** @param {string | null} code */
export const policyName = (code) => policies.value.find(({ policy_code }) => policy_code === code)?.name ?? code;
