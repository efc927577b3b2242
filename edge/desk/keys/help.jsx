import { Button } from "../../pages/kit/button.jsx";
import { Dialog } from "../../pages/kit/dialog.jsx";
import { BINDINGS } from "./keymap.js";

const GROUPS = [...new Set(BINDINGS.map(({ group }) => group))];

/** All keys. @param {{ onClose: () => void }} props */
export default function Help({ onClose }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} onSubmit={onClose}
      foot={<Button kind="main" type="submit">Close</Button>}>
      <p class="dim">Shortcuts are disabled while a text field has focus.</p>
      <div class="keys">
        {GROUPS.map((group) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl>
              {BINDINGS.filter((binding) => binding.group === group).map(({ id, keys, label }) => (
                <div key={id}><dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt><dd>{label}</dd></div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
