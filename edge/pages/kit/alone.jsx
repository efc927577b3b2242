// Pages that stand alone: nobody is signed in, or the service does not respond.

/** @param {{ title: string, children: import("preact").ComponentChildren }} props */
export function Alone({ title, children }) {
  return (
    <main class="alone">
      <p class="brand"><img src="/favicon.svg" alt="" width={20} height={20} />Clipgate</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
