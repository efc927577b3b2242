// The queues: messages, leases, delivery attempts, delays and dead letters, stored in SQLite. Each queue has its own
// clock, which a test can move forward instead of waiting for a lease to expire.
//
// This module must not depend on HTTP.

import { DurableObject } from "cloudflare:workers";
import { firstFault, withoutOne } from "./faults.js";

// In production an expired lease can still acknowledge its message, so leases are kept after they expire.
const LEASE_RETENTION_MS = 24 * 60 * 60 * 1000;

// The largest number of retries that Cloudflare allows. Dead-letter queues use it: listing dead letters pulls them,
// each pull counts as a delivery attempt, and a message without attempts left would be deleted.
const MAX_RETRIES_LIMIT = 100;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS queues (
    id TEXT PRIMARY KEY, dead_letters TEXT, max_retries INTEGER NOT NULL,
    clock_ahead_ms INTEGER NOT NULL DEFAULT 0, faults TEXT NOT NULL DEFAULT '[]') STRICT;
  CREATE TABLE IF NOT EXISTS messages (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
    content_type TEXT NOT NULL, sent_at INTEGER NOT NULL, ready_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, lease TEXT, UNIQUE (queue, id)) STRICT;
  CREATE INDEX IF NOT EXISTS ready ON messages (queue, ready_at);
  CREATE TABLE IF NOT EXISTS leases (
    id TEXT PRIMARY KEY, queue TEXT NOT NULL, message TEXT NOT NULL, issued_at INTEGER NOT NULL) STRICT;`;

export class Queues extends DurableObject {
  constructor(context, env) {
    super(context, env);
    this.sql = context.storage.sql;
    this.sql.exec(SCHEMA);
    for (const queue of [env.QUEUE_ID, env.QUEUE_COMPLETIONS_ID]) {
      this.declare(queue, env.QUEUE_DEAD_ID, Number(env.MAX_RETRIES));
    }
  }

  // Creates a queue and its dead-letter queue. If they exist already, only the number of retries changes.
  declare(id, deadLetters, maxRetries) {
    const declare = `INSERT INTO queues (id, dead_letters, max_retries) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET max_retries = excluded.max_retries`;
    this.sql.exec(declare, deadLetters, null, MAX_RETRIES_LIMIT);
    this.sql.exec(declare, id, deadLetters, Math.min(maxRetries, MAX_RETRIES_LIMIT));
  }

  exists(id) {
    return this.#queue(id) !== undefined;
  }

  // Adds messages. A duplicate id is ignored: the sender has retried because it got no response.
  send(queue, messages) {
    const now = this.#now(this.#queue(queue));
    for (const { id, body, contentType, delayMs = 0 } of messages) {
      this.sql.exec(
        `INSERT INTO messages (queue, id, body, content_type, sent_at, ready_at) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (queue, id) DO NOTHING`,
        queue, id, body, contentType, now, now + delayMs);
    }
  }

  // Leases up to `batchSize` messages. `twice`, `reordered` and `expired` are injected faults.
  pull(id, { batchSize, visibilityMs, twice = false, reordered = false, expired = false }) {
    const queue = this.#queue(id);
    const now = this.#now(queue);
    this.#moveToDeadLetters(queue, now);
    this.sql.exec("DELETE FROM leases WHERE queue = ? AND issued_at < ?", id, now - LEASE_RETENTION_MS);
    const order = reordered ? "DESC" : "ASC";
    const ready = this.sql.exec(
      `SELECT id FROM messages WHERE queue = ? AND ready_at <= ? ORDER BY sequence ${order} LIMIT ?`,
      id, now, batchSize).toArray();
    const until = expired ? now : now + visibilityMs;
    const leased = ready.flatMap((message) =>
      Array.from({ length: twice ? 2 : 1 }, () => this.#lease(id, message.id, now, until)));
    return { backlog: this.#count(id, "1"), messages: leased };
  }

  // Deletes acknowledged messages. Returns the others to the queue, or moves them to the dead letters.
  settle(id, acks, retries) {
    const queue = this.#queue(id);
    const unknown = [];
    const messageOf = (lease) => this.#message(id, lease) ?? (unknown.push(lease), undefined);
    let [acked, retried] = [0, 0];
    for (const { lease } of acks) {
      const message = messageOf(lease);
      if (message === undefined) continue;
      this.sql.exec("DELETE FROM messages WHERE queue = ? AND id = ?", id, message);
      acked += 1;
    }
    for (const { lease, delayMs } of retries) {
      if (messageOf(lease) === undefined) continue;
      this.#retry(queue, lease, delayMs);
      retried += 1;
    }
    return { acked, retried, unknown };
  }

  setFaults(id, faults) {
    this.sql.exec("UPDATE queues SET faults = ? WHERE id = ?", JSON.stringify(faults), id);
  }

  // Returns the fault that affects this request, if any, and counts it as used.
  takeFault(id, action) {
    const faults = JSON.parse(this.#queue(id).faults);
    const index = firstFault(faults, action, Math.random());
    if (index < 0) return undefined;
    this.setFaults(id, withoutOne(faults, index));
    return faults[index];
  }

  // Moves the clock of a queue and of its dead-letter queue forward.
  advance(id, ms) {
    this.sql.exec(
      `UPDATE queues SET clock_ahead_ms = clock_ahead_ms + ?1
       WHERE id = ?2 OR id = (SELECT dead_letters FROM queues WHERE id = ?2)`, ms, id);
  }

  stats(id) {
    const queue = this.#queue(id);
    const now = this.#now(queue);
    this.#moveToDeadLetters(queue, now);
    return {
      depth: this.#count(id, "1"),
      leased: this.#count(id, "lease IS NOT NULL AND ready_at > ?", now),
      delayed: this.#count(id, "lease IS NULL AND ready_at > ?", now),
      dead: queue.dead_letters === null ? 0 : this.#count(queue.dead_letters, "1"),
    };
  }

  #queue(id) {
    return this.sql.exec("SELECT * FROM queues WHERE id = ?", id).toArray()[0];
  }

  #now(queue) {
    return Date.now() + queue.clock_ahead_ms;
  }

  #count(id, condition, ...bound) {
    return this.sql.exec(`SELECT count(*) AS n FROM messages WHERE queue = ? AND ${condition}`, id, ...bound).one().n;
  }

  #message(queue, lease) {
    return this.sql.exec("SELECT message FROM leases WHERE id = ? AND queue = ?", lease, queue).toArray()[0]?.message;
  }

  #lease(queue, message, now, until) {
    const lease = crypto.randomUUID();
    this.sql.exec("INSERT INTO leases VALUES (?, ?, ?, ?)", lease, queue, message, now);
    return this.sql.exec(
      `UPDATE messages SET attempts = attempts + 1, ready_at = ?, lease = ? WHERE queue = ? AND id = ? RETURNING *`,
      until, lease, queue, message).one();
  }

  // Returns a message to the queue. Only the newest lease can do that: the holder of an older lease must not take the
  // message away from the client that works on it now.
  #retry(queue, lease, delayMs) {
    const now = this.#now(queue);
    this.sql.exec(
      `UPDATE messages SET lease = NULL, ready_at = iif(attempts > ?, ?, ?) WHERE queue = ? AND lease = ?`,
      queue.max_retries, now, now + delayMs, queue.id, lease);
    this.#moveToDeadLetters(queue, now);
  }

  // Moves messages without attempts left and without a current lease to the dead letters.
  #moveToDeadLetters(queue, now) {
    const exhausted = "queue = ? AND attempts > ? AND ready_at <= ?";
    const bound = [queue.id, queue.max_retries, now];
    if (queue.dead_letters !== null) {
      this.sql.exec(
        `INSERT INTO messages (queue, id, body, content_type, sent_at, ready_at)
         SELECT ?, id, body, content_type, ?, ? FROM messages WHERE ${exhausted} ORDER BY sequence
         ON CONFLICT (queue, id) DO NOTHING`, queue.dead_letters, now, now, ...bound);
    }
    this.sql.exec(`DELETE FROM messages WHERE ${exhausted}`, ...bound);
  }
}
