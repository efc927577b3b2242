import { counted, titleOf } from "../../pages/kit/format.js";
import { Button } from "../../pages/kit/button.jsx";
import { DecisionBar } from "../decide/bar.jsx";
import { subjectOfItem } from "../decide/actions.js";
import { queue, selected } from "./queue.js";

/** One decision for the selected rows. */
export function Selection() {
  const rows = queue.rows.value.filter(({ uuid, isGone }) => !isGone && selected.value.has(uuid));
  const clear = () => (selected.value = new Set());
  const subjects = rows.map((row) => ({ uuid: row.uuid, title: titleOf(row.caption), subject: subjectOfItem(row) }));
  if (rows.length === 0) return null;
  const lead = (
    <span class="row">
      <b class="number">{rows.length} selected</b><Button kind="quiet" onClick={clear}>Clear</Button>
    </span>
  );
  return (
    <DecisionBar subjects={subjects} onDecided={clear} label={`Decide on ${counted(rows.length, "selected video")}`}
      lead={lead} />
  );
}
