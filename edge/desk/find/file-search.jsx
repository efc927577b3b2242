// Finds a video by a file: its fingerprint is computed here, and only the fingerprint is sent.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../pages/kit/button.jsx";
import { bytes } from "../../pages/kit/format.js";
import { Progress } from "../../pages/kit/progress.jsx";
import { fingerprint } from "./fingerprint.js";

/** A smaller file is read before a bar could be seen. */
const LARGE_BYTES = 64_000_000;

/** The names of the files that were chosen, by their fingerprints. The address of a search has only the fingerprint. */
const nameByHash = new Map();

/** @param {string} sha256 @returns {string | undefined} */
export const nameOfFile = (sha256) => nameByHash.get(sha256);

/** @param {(sha256: string) => void} onFound */
export function useFileSearch(onFound) {
  const reading = useSignal(/** @type {{ name: string, size: number, read: number } | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const running = useRef(/** @type {AbortController | null} */ (null));
  const cancel = () => {
    running.current?.abort();
    reading.value = null;
  };
  useEffect(() => cancel, []);
  const choose = async (/** @type {File} */ file) => {
    cancel();
    const { signal: abort } = (running.current = new AbortController());
    [reading.value, problem.value] = [{ name: file.name, size: file.size, read: 0 }, null];
    try {
      // The page's policy allows no worker: `trusted-types 'none'` rejects the address of its script.
      const hasher = await import("./hasher.js").then(({ createHasher }) => createHasher(), () => null);
      if (!hasher) throw new Unread("Part of this page could not be loaded. Check your connection, then try again.");
      const onProgress = (/** @type {number} */ read) => {
        if (!abort.aborted) reading.value = { name: file.name, size: file.size, read };
      };
      const made = await fingerprint(file, { hasher, abort, onProgress });
      nameByHash.set(made, file.name);
      reading.value = null;
      onFound(made);
    } catch (error) {
      if (abort.aborted) return;
      reading.value = null;
      problem.value = problemOf(error);
    }
  };
  return { reading: reading.value, problem: problem.value, choose, cancel };
}

/** Takes the file that is dropped onto an element. @param {(file: File) => void} onFile */
export function useFileDrop(onFile) {
  const isOver = useSignal(false);
  const handlers = {
    onDragOver: (/** @type {DragEvent} */ event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      isOver.value = true;
    },
    onDragLeave: () => void (isOver.value = false),
    onDrop: (/** @type {DragEvent} */ event) => {
      isOver.value = false;
      const [first] = event.dataTransfer?.files ?? [];
      if (!first) return;
      event.preventDefault();
      onFile(first);
    },
  };
  return { isOver: isOver.value, handlers };
}

/** Why a file was not read, in words. */
class Unread extends Error {}

/** @param {unknown} error */
function problemOf(error) {
  if (error instanceof Unread) return error.message;
  // The file was moved, or changed while it was read; or it is a folder that was dropped.
  if (error instanceof DOMException) return "The file could not be read. Choose it again.";
  throw error;
}

/**
 * How far a file is read, or why it could not be.
 * @param {{ of: ReturnType<typeof useFileSearch> }} props
 */
export function FileReading({ of: { reading, problem, cancel } }) {
  if (problem) return <p class="found-by" role="alert">{problem}</p>;
  if (!reading || reading.size < LARGE_BYTES) return null;
  const { name, size, read } = reading;
  const text = `${bytes(read)} of ${bytes(size)}`;
  return (
    <div class="reading found-by">
      <p class="row">
        <span class="cut">Reading <bdi>{name}</bdi></span>
        <span class="note number">{text}</span>
        <Button kind="quiet" onClick={cancel}>Cancel</Button>
      </p>
      <Progress value={read} most={size} label={`Reading ${name}`} text={text} />
    </div>
  );
}
