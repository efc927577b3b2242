// Decodes a ThumbHash (https://evanw.github.io/thumbhash/): about 25 bytes that make a small, blurred picture.

/** The longer side of a decoded picture. It is stretched and blurred anyway, so more pixels show nothing more. */
const SIDE = 16;

/** @typedef {{ width: number, height: number, pixels: Uint8ClampedArray<ArrayBuffer> }} Picture */

/**
 * Returns the picture, or null if the text is no ThumbHash.
 * @param {string} base64
 * @returns {Picture | null}
 */
export function decodeThumbhash(base64) {
  const hash = bytesOf(base64);
  if (!hash || hash.length < 5) return null;
  const head = hash[0] | (hash[1] << 8) | (hash[2] << 16);
  const more = hash[3] | (hash[4] << 8);
  const hasAlpha = (head >> 23) & 1;
  const [longer, shorter] = [hasAlpha ? 5 : 7, more & 7];
  const [acrossRaw, downRaw] = more >> 15 ? [longer, shorter] : [shorter, longer];
  const [across, down] = [Math.max(3, acrossRaw), Math.max(3, downRaw)];
  const next = nibblesOf(hash, hasAlpha ? 6 : 5);
  // The order of the channels is the order in which their coefficients are stored.
  const light = channel(across, down, (head & 63) / 63, ((head >> 18) & 31) / 31, next);
  const blueYellow = channel(3, 3, ((head >> 6) & 63) / 31.5 - 1, (((more >> 3) & 63) / 63) * 1.25, next);
  const redGreen = channel(3, 3, ((head >> 12) & 63) / 31.5 - 1, (((more >> 9) & 63) / 63) * 1.25, next);
  const ratio = Math.max(1, acrossRaw) / Math.max(1, downRaw);
  const width = Math.max(1, Math.round(ratio > 1 ? SIDE : SIDE * ratio));
  const height = Math.max(1, Math.round(ratio > 1 ? SIDE / ratio : SIDE));
  return { width, height, pixels: paint(width, height, [light, blueYellow, redGreen]) };
}

/** @param {string} base64 */
function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

/**
 * Returns a function that returns the next four bits of the hash, as a number from -1 to 1.
 * @param {Uint8Array} hash
 * @param {number} start
 */
function nibblesOf(hash, start) {
  let index = 0;
  return () => {
    const byte = hash[start + (index >> 1)] ?? 0;
    const bits = (byte >> ((index & 1) << 2)) & 15;
    index += 1;
    return bits / 7.5 - 1;
  };
}

/** @typedef {{ average: number, waves: { x: number, y: number, amount: number }[] }} Channel */

/**
 * @param {number} across
 * @param {number} down
 * @param {number} average
 * @param {number} scale
 * @param {() => number} next
 * @returns {Channel}
 */
function channel(across, down, average, scale, next) {
  const waves = [];
  for (let y = 0; y < down; y += 1) {
    for (let x = y ? 0 : 1; x * down < across * (down - y); x += 1) {
      waves.push({ x, y, amount: next() * scale * 2 });
    }
  }
  return { average, waves };
}

/**
 * @param {number} width
 * @param {number} height
 * @param {[Channel, Channel, Channel]} channels
 */
function paint(width, height, [light, blueYellow, redGreen]) {
  const pixels = new Uint8ClampedArray(width * height * 4);
  const cosX = cosines(width);
  const cosY = cosines(height);
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 4) {
      const value = (/** @type {Channel} */ { average, waves }) =>
        waves.reduce((sum, wave) => sum + wave.amount * cosX[wave.x][x] * cosY[wave.y][y], average);
      const [l, p, q] = [value(light), value(blueYellow), value(redGreen)];
      const blue = l - (2 / 3) * p;
      const red = (3 * l - blue + q) / 2;
      pixels.set([red * 255, (red - q) * 255, blue * 255, 255], at);
    }
  }
  return pixels;
}

/** @param {number} length */
function cosines(length) {
  const row = (/** @type {number} */ wave) =>
    Array.from({ length }, (_, at) => Math.cos((Math.PI / length) * (at + 0.5) * wave));
  return Array.from({ length: 8 }, (_, wave) => row(wave));
}
