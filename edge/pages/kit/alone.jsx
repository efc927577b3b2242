// Pages that stand alone: nobody is signed in, or the service does not respond.
import { useSignal } from "@preact/signals";
import { Button } from "./button.jsx";

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

/** @param {{ onRetry: () => Promise<void>, comfort?: string }} props `comfort` says what is safe meanwhile. */
export function Unreachable({ onRetry, comfort }) {
  const busy = useSignal(false);
  const retry = async () => {
    busy.value = true;
    await onRetry();
    busy.value = false;
  };
  return (
    <Alone title="The service is unreachable">
      <p role="alert">
        {navigator.onLine ? ["It may be down briefly.", comfort].filter(Boolean).join(" ")
          : "You are offline. Connect to a network, then try again."}
      </p>
      <Button kind="main" busy={busy.value} onClick={retry}>Try again</Button>
    </Alone>
  );
}
