import { parseDuration } from "../../config/grammar/duration.ts";
import type { Position } from "../../history/history.ts";
import { MeshError } from "../../lib/errors.ts";

const timeForms = "a time (2026-11-18T14:03:00Z), 14:03 or 14:03:05 today, an age (10m)";
/** The forms of TIME, for `--help` and errors. */
export const positionForms = `now, ${timeForms} or the number of a moment`;

/** Reads TIME. A time of day is in the time zone of this machine. Throws `bad-option`. */
export function readPosition(text: string, now: Date): Position {
  if (text === "now") return { type: "time", at: now.getTime() };
  if (/^\d{1,15}$/u.test(text)) return { type: "moment", number: Number(text) };
  const at = timeIn(text, now);
  if (at !== undefined) return { type: "time", at };
  throw new MeshError("bad-option", `TIME: expected ${positionForms}, found ${JSON.stringify(text)}`);
}

/** Reads the time that a flag gives, in milliseconds since 1970. Throws `bad-option`. */
export function readTime(flag: string, text: string, now: Date): number {
  const at = timeIn(text, now);
  if (at !== undefined) return at;
  throw new MeshError("bad-option", `--${flag}: expected ${timeForms}, found ${JSON.stringify(text)}`);
}

function timeIn(text: string, now: Date): number | undefined {
  const clock = /^(?<hours>[01]?\d|2[0-3]):(?<minutes>[0-5]\d)(?::(?<seconds>[0-5]\d))?$/u.exec(text)?.groups;
  if (clock !== undefined) {
    const { hours, minutes, seconds } = clock;
    // Without seconds, the whole minute.
    return new Date(now).setHours(Number(hours), Number(minutes), Number(seconds ?? 59), 999);
  }
  const age = parseDuration(text);
  if (age !== undefined) return now.getTime() - Number(age / 1_000_000n);
  const at = /^\d{4}-\d{2}-\d{2}(?:$|T)/u.test(text) ? Date.parse(text) + subsecond(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** A time without a fraction means the whole second. */
function subsecond(text: string): number {
  return /T\d{2}:\d{2}:\d{2}(?:$|[^.\d])/u.test(text) ? 999 : 0;
}
