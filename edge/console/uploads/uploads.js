// The one list of the page, with the session's requests.

import { getTagged } from "../api.js";
import { createListStore } from "./list-store.js";

export const uploads = createListStore((path, options) => getTagged(`/developer/${path}`, options));
