import { parseJson } from "../lib/parse-json.ts";
import { type LogRecord, readLines } from "./log-line.ts";
import { type LoggedObject, parseLoggedObject } from "./logged-object.ts";
import { type Moment, parseHead, parseMoment, parseState, type SegmentHead, type StateEntry } from "./moment.ts";

/** A part of a log that can be read without the others: the objects in force at its begin, and the moments after it. */
export interface Segment {
  readonly head: SegmentHead;
  readonly state: readonly StateEntry[];
  /** In the order of their numbers. */
  readonly moments: readonly Moment[];
  /** Records that cannot be read: damaged, or not written to their end. */
  readonly damaged: number;
  /** The content of an object. Undefined if it is damaged. */
  readonly objectOf: (id: string) => LoggedObject | undefined;
}

/**
 * Reads a segment. Never throws. Undefined without a whole head and state: then its writer ended before the first
 * moment. The JSON of an object is parsed when somebody asks for it.
 */
export function readSegment(text: string): Segment | undefined {
  const { records, damaged } = readLines(text);
  const [first, ...rest] = records;
  const head = first?.type === "segment" ? parseHead(parseJson(first.payload)) : undefined;
  const state = parsedStateIn(rest);
  if (head === undefined || state === undefined) return undefined;
  const objects = new Map(rest.flatMap((record) => (record.type === "object" ? [splitObject(record)] : [])));
  const moments = rest.flatMap((record) =>
    record.type === "moment" ? (parseMoment(parseJson(record.payload)) ?? []) : [],
  );
  return {
    head,
    state,
    moments: increasing(moments, head),
    damaged,
    objectOf: (id) => parseLoggedObject(parseJson(objects.get(id) ?? "")),
  };
}

function parsedStateIn(records: readonly LogRecord[]): readonly StateEntry[] | undefined {
  const record = records.find(({ type }) => type === "state");
  return record && parseState(parseJson(record.payload));
}

function splitObject({ payload }: LogRecord): readonly [id: string, json: string] {
  const space = payload.indexOf(" ");
  return [payload.slice(0, space), payload.slice(space + 1)];
}

/** A write that failed in the middle is repeated whole, so that a moment may stand in a segment twice. */
function increasing(moments: readonly Moment[], head: SegmentHead): readonly Moment[] {
  // The moment of the head is in a segment that begins with a start of the server.
  let last = head.number - 1;
  return moments.filter(({ number }) => {
    const isNext = number > last;
    if (isNext) last = number;
    return isNext;
  });
}
