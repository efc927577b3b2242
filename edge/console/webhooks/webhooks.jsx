// The addresses to which the channel's events are sent, and what came of each event.
import { query } from "../../pages/kit/router.js";
import { AllEvents } from "./all-events.jsx";
import { List } from "./list.jsx";
import { AddWebhook } from "./form.jsx";
import { OneWebhook } from "./one.jsx";

/** @param {{ uuid: string | null }} props `uuid`: the webhook that is shown, or null for the list. */
export default function Webhooks({ uuid }) {
  if (uuid) return <OneWebhook key={uuid} uuid={uuid} />;
  switch (query.value.get("view")) {
    case "add": return <AddWebhook />;
    case "events": return <AllEvents />;
    default: return <List />;
  }
}
