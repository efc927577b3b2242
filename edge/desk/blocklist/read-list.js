// Reads a list of PDQ hashes by the rules of `clipgate-operate blocklist import`: CSV with a column `hash`, `pdq` or
// `pdq_hash`, or only hashes; or JSON lines, each a hash or an object with such a member. `quality` and `hash_type` are
// optional.
import { quoted } from "../text.js";
import { isHash } from "./hash.js";

const HASH_NAMES = ["hash", "pdq", "pdq_hash"];
const TYPE_NAMES = ["hash_type", "type"];
const QUALITY_NAMES = ["quality"];
/** Hashes of pictures with less detail cannot be told apart. */
const MIN_QUALITY = 50;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** @typedef {{ hash: string, quality?: string | null, kind?: string | null }} Entry */
/** @typedef {{ hashes: string[], skipped: number }} List `skipped`: hashes of another type or of too little detail. */

/** What is wrong with a file, and in which line; nothing of such a file is used. */
export class Unreadable extends Error {
  /** @param {string} what @param {number | null} line */
  constructor(what, line = null) {
    super(line === null ? what : `Line ${line}: ${what}`);
    this.line = line;
  }
}

/**
 * @param {string} name The file's name, whose end tells its format. @param {string} text
 * @returns {List}
 */
export function readList(name, text) {
  const end = /\.(csv|jsonl|ndjson)$/i.exec(name)?.[1]?.toLowerCase();
  if (!end) throw new Unreadable("The file name must end with .csv, .jsonl or .ndjson.");
  const hashes = new Set();
  let skipped = 0;
  for (const [line, read] of end === "csv" ? csvEntries(text) : jsonEntries(text)) {
    const hash = atLine(line, () => usableHash(read()));
    if (hash === null) skipped += 1;
    else hashes.add(hash);
  }
  return { hashes: [...hashes].sort(), skipped };
}

/** @template T @param {number} line @param {() => T} read */
function atLine(line, read) {
  try {
    return read();
  } catch (error) {
    throw error instanceof Unreadable ? new Unreadable(error.message, line) : error;
  }
}

/** Returns the hash of an entry, or null if it is to be skipped. @param {Entry} entry */
function usableHash({ hash, quality, kind }) {
  const isFine = quality == null || readQuality(quality) >= MIN_QUALITY;
  if ((kind != null && kind.toLowerCase() !== "pdq") || !isFine) return null;
  const lower = hash.toLowerCase();
  if (!isHash(lower)) throw new Unreadable(`${quoted(hash)} is not a PDQ hash. It must have 64 hexadecimal digits.`);
  return lower;
}

/** @param {string} text */
function readQuality(text) {
  const value = NUMBER.test(text) ? Number(text) : NaN;
  if (!(value >= 0 && value <= 100)) throw new Unreadable(`The quality ${quoted(text)} is not a number from 0 to 100.`);
  return value;
}

/** @param {string} text @returns {Generator<[number, () => Entry]>} */
function* jsonEntries(text) {
  for (const [at, line] of text.split("\n").entries()) if (line.trim()) yield [at + 1, () => jsonEntry(line)];
}

/** @param {string} line @returns {Entry} */
function jsonEntry(line) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Unreadable("This is not JSON.");
  }
  if (typeof value === "string") return { hash: value };
  const hash = jsonText(value, HASH_NAMES);
  if (hash === null) throw new Unreadable("There is no member `hash`, `pdq` or `pdq_hash`.");
  return { hash, quality: jsonText(value, QUALITY_NAMES), kind: jsonText(value, TYPE_NAMES) };
}

/**
 * Returns the text of the first of these members that is present. A number becomes its digits.
 * @param {any} value @param {string[]} names
 */
function jsonText(value, names) {
  const name = names.find((one) => value?.[one] != null);
  if (name === undefined) return null;
  const member = value[name];
  if (typeof member === "string" || typeof member === "number") return String(member);
  throw new Unreadable(`The member \`${name}\` must be text or a number.`);
}

/** @param {string} text @returns {Generator<[number, () => Entry]>} */
function* csvEntries(text) {
  /** @type {{ hash: number, quality: number, kind: number } | null} */
  let columns = null;
  for (const [line, row] of csvRows(text)) {
    if (!columns) {
      const isNamed = !isHash((row[0] ?? "").toLowerCase());
      columns = isNamed ? atLine(line, () => columnsOf(row)) : { hash: 0, quality: -1, kind: -1 };
      if (isNamed) continue;
    }
    const { hash, quality, kind } = columns;
    yield [line, () => ({ hash: row[hash] ?? "", quality: row[quality] || null, kind: row[kind] || null })];
  }
}

/** @param {string[]} names */
function columnsOf(names) {
  const find = (/** @type {string[]} */ known) => names.findIndex((name) => known.includes(name.toLowerCase()));
  const hash = find(HASH_NAMES);
  if (hash < 0) throw new Unreadable("No column is named `hash`, `pdq` or `pdq_hash`.");
  return { hash, quality: find(QUALITY_NAMES), kind: find(TYPE_NAMES) };
}

/** A quoted cell, a plain one, and what follows a cell: the end of the file too. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"?)?([^,\r\n]*)(,|\r\n|\n|\r|$)/y;

/**
 * The rows of a CSV file, with the lines on which they begin. Rows may have any length; empty lines are left out.
 * @param {string} text
 * @returns {Generator<[number, string[]]>}
 */
function* csvRows(text) {
  CELL.lastIndex = 0;
  let [line, begin] = [1, 1];
  /** @type {string[]} */
  let row = [];
  let isEmpty = true;
  while (CELL.lastIndex < text.length || row.length > 0) {
    const [all, inQuotes, plain = "", end] = /** @type {RegExpExecArray} */ (CELL.exec(text));
    row.push(((inQuotes?.replaceAll('""', '"') ?? "") + plain).trim());
    isEmpty &&= all === end;
    line += all.split(/\r\n|\n|\r/).length - 1;
    if (end === ",") {
      isEmpty = false;
      continue;
    }
    if (!isEmpty) yield [begin, row];
    [row, begin, isEmpty] = [[], line, true];
  }
}
