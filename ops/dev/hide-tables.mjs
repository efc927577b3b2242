// Takes tables away from a local service for a while, so that its operations fail, for ops/dev/drill:
//
//   hide-tables.mjs FILE TABLE,TABLE SECONDS

import { DatabaseSync } from "node:sqlite";

const [, , file, tables, seconds] = process.argv;
const database = new DatabaseSync(file);
// References to a renamed table stay as they are.
database.exec("PRAGMA busy_timeout = 20000; PRAGMA legacy_alter_table = ON");
const rename = (before, after) => {
  for (const table of tables.split(",")) database.exec(`ALTER TABLE ${before(table)} RENAME TO ${after(table)}`);
};
const [shown, hidden] = [(table) => table, (table) => `${table}_hidden`];
rename(shown, hidden);
setTimeout(() => rename(hidden, shown), 1000 * seconds);
