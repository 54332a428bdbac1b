import { statSync } from "node:fs";
import { codeOf, errorFrom } from "../../lib/errors.ts";

/** Clocks of file systems are coarse. */
const toleranceMs = 10;

export interface ProbeCheck {
  readonly file: string;
  readonly intervalMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The problem of a probe file, as a sentence. Undefined when the file is fresh. */
export function checkProbeFile({ file, intervalMs, now }: ProbeCheck): string | undefined {
  let writtenAt: number;
  try {
    writtenAt = statSync(file).mtimeMs;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return `${file} does not exist`;
    return `${file} cannot be read: ${errorFrom(thrown).message}`;
  }
  const ageMs = Math.floor(now - writtenAt);
  return ageMs <= intervalMs + toleranceMs ? undefined : `${file} is ${ageMs} ms old, more than ${intervalMs} ms`;
}
