// The direct uploads of the channel.

import { get, post, remove } from "../api.js";
import { createFeed } from "../../pages/kit/feed.js";

/** @typedef {import("./describe.js").DirectUpload} DirectUpload */
/** @typedef {import("./snippets.js").Created} Created */

const PATH = "/developer/direct_uploads";
const PAGE_LENGTH = 50;

/** The list, the newest first. @param {string} state Only those in this state; empty for all. */
export function directUploads(state) {
  return createFeed({
    readPage: async (cursor) => {
      const page = await get(PATH, { state, cursor, limit: PAGE_LENGTH });
      return { rows: /** @type {DirectUpload[]} */ (page.direct_uploads), next: page.next_cursor };
    },
    // The ids are in the order of time.
    orderOf: ({ direct_upload_id }) => direct_upload_id,
  });
}

/** @param {ReturnType<typeof import("./draft.js").requestOf>} request @returns {Promise<Created>} */
export function createDirectUpload(request) {
  return post(PATH, request);
}

/** Ends a token, and returns its new state. @param {string} id @returns {Promise<DirectUpload["state"]>} */
export async function revoke(id) {
  return (await remove(`${PATH}/${id}`)).state;
}
