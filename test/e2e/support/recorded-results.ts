import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";

/** The conditions of a recorded result. */
export interface Recording {
  readonly date: string;
  /** The average load of the machine in the last minute. */
  readonly load: number;
}

/** Results of a long run by the name of the case. */
export type RecordedResults<T> = Readonly<Record<string, T & Recording>>;

/**
 * With `RECORD=1`, writes the result of one case into a file of the repository, from which a reference page is made. The
 * results of other cases stay, so that one case can run again alone.
 */
export function recordResult(file: string, name: string, result: object): void {
  if (process.env["RECORD"] !== "1") return;
  const all = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const [load = 0] = loadavg();
  all[name] = { ...result, date: new Date().toISOString().slice(0, 10), load: Math.round(load * 10) / 10 };
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
}
