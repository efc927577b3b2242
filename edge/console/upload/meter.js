// The rate of an upload, and the time that is left.

const WINDOW_MS = 5000;

/** Measures over the last five seconds, so that the figures neither jump nor lag. */
export function createMeter() {
  /** @type {{ at: number, sent: number }[]} */
  let samples = [];
  return {
    /** @param {number} at In milliseconds. @param {number} sent Bytes until now. */
    add(at, sent) {
      // Fewer bytes than before: a part has to be sent again.
      if (samples.length && sent < /** @type {{ sent: number }} */ (samples.at(-1)).sent) samples = [];
      samples.push({ at, sent });
      while (samples.length > 2 && at - /** @type {{ at: number }} */ (samples[0]).at > WINDOW_MS) samples.shift();
    },
    /** Forgets what was, after a pause. */
    reset() {
      samples = [];
    },
    /** @returns {number | null} Bytes per second; null until it is known. */
    rate() {
      const [first, last] = [samples[0], samples.at(-1)];
      if (!first || !last || last.at - first.at < 500) return null;
      return ((last.sent - first.sent) * 1000) / (last.at - first.at);
    },
  };
}

/** @param {number | null} rate @param {number} rest Bytes. @returns {number | null} Seconds. */
export function timeLeft(rate, rest) {
  return rate ? rest / rate : null;
}
