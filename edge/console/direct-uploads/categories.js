import { get } from "../api.js";
import { useLoad } from "../../pages/kit/load.js";

/** The categories of the service; empty until they have been read. @returns {{ id: number, name: string }[]} */
export function useCategories() {
  return useLoad((signal) => get("/developer/categories", {}, signal)).data?.categories ?? [];
}
