// The addresses to which the channel's events are sent.
import { PageHead } from "../shell.jsx";

/** @param {{ uuid: string | null }} props `uuid`: the webhook that is shown, or null for the list. */
export default function Webhooks({ uuid }) {
  return <PageHead title={uuid ? "Webhook" : "Webhooks"}>Your server hears of your videos at once.</PageHead>;
}
