// The tokens of people and of the site's back end, without their secrets.
import { useSignal } from "@preact/signals";
import { Button } from "../../pages/kit/button.jsx";
import { Empty } from "../../pages/kit/empty.jsx";
import { Mark } from "../../pages/kit/mark.jsx";
import { PageHead } from "../../pages/kit/page-head.jsx";
import { ShownOnce } from "../../pages/kit/shown-once.jsx";
import { now, Time } from "../../pages/kit/time.jsx";
import { get, may } from "../api.js";
import { usePages } from "../pages.js";
import { PagesEnd } from "../pages-end.jsx";
import { CreateDialog, RevokeDialog } from "./dialogs.jsx";

/** @typedef {import("../types").NamedToken} NamedToken */

export default function Tokens() {
  if (may("operate")) return <List />;
  return (
    <PageHead title="Tokens">Your own token needs the role <code>operate</code> for this. Ask the operator.</PageHead>
  );
}

function List() {
  const dialog = useSignal(/** @type {"create" | NamedToken | null} */ (null));
  const made = useSignal(/** @type {string | null} */ (null));
  const pages = usePages(async (cursor) => {
    const { tokens, next_cursor } = await get("/tokens", { cursor });
    return { rows: /** @type {NamedToken[]} */ (tokens), next: next_cursor };
  }, "");
  const close = () => (dialog.value = null);
  const open = dialog.value;
  return (
    <>
      <PageHead title="Tokens"
        action={<Button kind="main" onClick={() => (dialog.value = "create")}>Create token</Button>}>
        One for each person and each program of the site’s back end.
      </PageHead>
      <ul class="decisions in-columns wide-by">
        {pages.rows.map((token) => (
          <Row key={token.token_id} token={token} onRevoke={() => (dialog.value = token)} />
        ))}
      </ul>
      <PagesEnd pages={pages} one="token" empty={
        <Empty title="No tokens yet">Create one for each moderator.</Empty>
      } />
      {open === "create" && (
        <CreateDialog onClose={close} onMade={(secret) => { made.value = secret; pages.reload(); }} />
      )}
      {open !== null && typeof open === "object" && (
        <RevokeDialog token={open} onClose={close} onDone={() => pages.change((rows) => rows.map(ended(open)))} />
      )}
      {made.value !== null && (
        <ShownOnce name="token" label="Token" secret={made.value} onClose={() => (made.value = null)}
          lead="If it is lost, revoke it and create another."
          help="Anyone with the token can act under its name. Send it so that only its user can read it." />
      )}
    </>
  );
}

/** Returns the rows' change after a token was revoked. @param {NamedToken} revoked */
const ended = ({ token_id }) => (/** @type {NamedToken} */ token) =>
  token.token_id === token_id ? { ...token, ends_at_unix: Math.min(token.ends_at_unix, now.peek()) } : token;

/** @param {{ token: NamedToken, onRevoke: () => void }} props */
function Row({ token, onRevoke }) {
  const isOver = token.ends_at_unix <= now.value;
  return (
    <li>
      <div class="what">
        <p class={isOver ? "dim" : undefined}><bdi>{token.name}</bdi></p>
        <p class="note">Token {token.token_id}</p>
      </div>
      <p class="chips reason">{token.roles.map((role) => <code key={role}>{role}</code>)}</p>
      <p class="note about">Created by <bdi>{token.created_by}</bdi>, <Time unix={token.created_at_unix} /></p>
      <div class="by note acts">
        <p><Mark tone={isOver ? "none" : "ok"}>{isOver ? "Ended" : "Expires"} <Time unix={token.ends_at_unix} /></Mark></p>
        {!isOver && (
          <Button kind="quiet" onClick={onRevoke} aria-label={`Revoke token ${token.token_id} of ${token.name}`}>Revoke</Button>
        )}
      </div>
    </li>
  );
}
