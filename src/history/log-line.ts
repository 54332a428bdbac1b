import { hashText } from "../lib/hash.ts";

/** The kinds of records in a log. */
const recordTypes = [
  "segment",
  "object",
  "state",
  "moment",
  "proxy",
  "extensions",
  "accepted",
  // Of recordings.
  "recording",
  "contents",
  "step",
  "unrecorded",
  "end",
] as const;
export type RecordType = (typeof recordTypes)[number];

/** One record of a log. An object begins with its id, so that its content need not be read to find it. */
export interface LogRecord {
  readonly type: RecordType;
  readonly payload: string;
}

/** A record is a line with a checksum. JSON has no line break inside, so a damaged line does not hide the next one. */
export function encodeLine(type: RecordType, payload: string): string {
  const body = `${type} ${payload}`;
  return `${hashText(body)} ${body}\n`;
}

/** The characters of a checksum. */
const sumLength = 16;

/** Undefined for a line that is damaged, not complete, or of another program. A log has many lines, so this is fast. */
function decodeLine(line: string): LogRecord | undefined {
  const body = line.slice(sumLength + 1);
  const type = body.slice(0, Math.max(0, body.indexOf(" ")));
  const known = recordTypes.find((each) => each === type);
  if (known === undefined || line[sumLength] !== " " || hashText(body) !== line.slice(0, sumLength)) return undefined;
  return { type: known, payload: body.slice(known.length + 1) };
}

/** The intact records of a log, and how many lines are damaged. A last line without its end counts as damaged, too. */
export interface ReadLines {
  readonly records: readonly LogRecord[];
  readonly damaged: number;
}

export function readLines(text: string): ReadLines {
  const records: LogRecord[] = [];
  let damaged = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end === -1 ? undefined : end);
    start = end === -1 ? text.length : end + 1;
    // A writer ends the line of a failed write, which may be empty.
    if (line === "") continue;
    const record = end === -1 ? undefined : decodeLine(line);
    if (record === undefined) damaged += 1;
    else records.push(record);
  }
  return { records, damaged };
}
