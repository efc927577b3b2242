import { useEffect, useRef } from "preact/hooks";

/**
 * Calls `ask` again and again while somebody can see the page. It returns the seconds until the next call, or null to
 * stop. Looking at the page again calls it at once.
 * @param {() => Promise<number | null>} ask
 * @param {number} first The seconds before the first call.
 * @param {unknown} [key] Another key begins anew.
 */
export function usePolling(ask, first, key) {
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    let isRunning = false;
    let isOver = false;
    let timer = setTimeout(run, first * 1000);
    async function run() {
      if (document.hidden || isRunning) return;
      isRunning = true;
      const pause = await latest.current();
      isRunning = false;
      if (isOver) return;
      if (pause === null) stop();
      else timer = setTimeout(run, pause * 1000);
    }
    function look() {
      clearTimeout(timer);
      run();
    }
    function stop() {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    }
    document.addEventListener("visibilitychange", look);
    return stop;
  }, [key]);
}
