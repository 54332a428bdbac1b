import { parseJson } from "../lib/parse-json.ts";
import { type FleetRecord, parseFleetRecord } from "./fleet.ts";
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
  readonly proxies: SegmentProxies;
}

/** The records of proxies, unread: most readers ask for objects only. */
export interface SegmentProxies {
  /** In the order of the log. */
  readonly changes: readonly UnreadChange[];
  /** Descriptions of proxies. */
  readonly described: readonly string[];
  /** Lists of extensions, by their ids. */
  readonly extensions: ReadonlyMap<string, string>;
}

/** A change among the proxies, and the last moment before it in the log. */
export interface UnreadChange {
  readonly after: number;
  readonly json: string;
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
  const objects = new Map(payloadsOf(rest, "object").map(splitPayload));
  const { moments, changes } = inOrder(rest, head);
  return {
    head,
    state,
    moments,
    damaged,
    objectOf: (id) => parseLoggedObject(parseJson(objects.get(id) ?? "")),
    proxies: {
      changes,
      described: payloadsOf(rest, "proxy"),
      extensions: new Map(payloadsOf(rest, "extensions").map(splitPayload)),
    },
  };
}

/** The intact changes among the proxies. A write that is repeated does not count twice. */
export function* readChanges({ changes }: SegmentProxies): Generator<FleetRecord & Pick<UnreadChange, "after">> {
  let last = -1;
  for (const { after, json } of changes) {
    const change = parseFleetRecord(parseJson(json));
    if (change === undefined || change.at <= last) continue;
    last = change.at;
    yield { ...change, after };
  }
}

function payloadsOf(records: readonly LogRecord[], wanted: LogRecord["type"]): readonly string[] {
  return records.flatMap(({ type, payload }) => (type === wanted ? [payload] : []));
}

function parsedStateIn(records: readonly LogRecord[]): readonly StateEntry[] | undefined {
  const record = records.find(({ type }) => type === "state");
  return record && parseState(parseJson(record.payload));
}

function splitPayload(payload: string): readonly [id: string, json: string] {
  const space = payload.indexOf(" ");
  return [payload.slice(0, space), payload.slice(space + 1)];
}

/** A write that failed in the middle is repeated whole, so that a moment may stand in a segment twice. */
function inOrder(records: readonly LogRecord[], head: SegmentHead) {
  const moments: Moment[] = [];
  const changes: UnreadChange[] = [];
  // The moment of the head is in a segment that begins with a start of the server.
  let last = head.number - 1;
  for (const { type, payload } of records) {
    if (type === "accepted") changes.push({ after: Math.max(last, head.number), json: payload });
    const moment = type === "moment" ? parseMoment(parseJson(payload)) : undefined;
    if (moment === undefined || moment.number <= last) continue;
    last = moment.number;
    moments.push(moment);
  }
  return { moments, changes };
}
