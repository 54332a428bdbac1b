import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

/** SQLite's code for a lock that another connection holds. */
const busy = 5;
const retryMs = 200;

/**
 * Runs the work while no other process, and nothing else in this one, holds the lock of this file. The kernel holds the
 * lock, by SQLite's exclusive transaction, so it always ends with its owner. Calls `onWait` once if another process
 * holds the lock.
 */
export async function withLock<T>(file: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  using database = new DatabaseSync(file, { timeout: 0 });
  if (!lock(database)) onWait();
  while (!database.isTransaction && !lock(database)) await pause(retryMs);
  return await work();
}

function lock(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && "errcode" in thrown && thrown.errcode === busy) return false;
    throw thrown;
  }
}
