const TABS = [
  { name: "webhooks", label: "Webhooks", href: "/console/webhooks" },
  { name: "events", label: "All events", href: "/console/webhooks?view=events" },
];

/** @param {{ at: "webhooks" | "events" }} props */
export function Tabs({ at }) {
  return (
    <nav class="tabs" aria-label="Webhooks and events">
      {TABS.map(({ name, label, href }) => (
        <a key={name} href={href} aria-current={name === at ? "page" : undefined}>{label}</a>
      ))}
    </nav>
  );
}
