import { statSync } from "node:fs";
import { errorFrom } from "../../lib/errors.ts";

/** Clocks of file systems are coarse. */
const toleranceMs = 10;

export interface ProbeCheck {
  readonly file: string;
  readonly intervalMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What is wrong with a probe file, as a sentence; undefined when it is fresh. */
export function checkProbeFile({ file, intervalMs, now }: ProbeCheck): string | undefined {
  let writtenAt: number;
  try {
    writtenAt = statSync(file).mtimeMs;
  } catch (thrown) {
    const error: NodeJS.ErrnoException = errorFrom(thrown);
    return error.code === "ENOENT" ? `${file} is not there` : `${file} cannot be looked at: ${error.message}`;
  }
  const ageMs = Math.floor(now - writtenAt);
  return ageMs <= intervalMs + toleranceMs ? undefined : `${file} is ${ageMs} ms old, more than ${intervalMs} ms`;
}
