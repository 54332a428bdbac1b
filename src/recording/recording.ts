import { readLines } from "../history/log-line.ts";
import { isMapping } from "../lib/is-mapping.ts";
import type { ContentEntry, RecordedStep, RecordingHead } from "./step.ts";

/** A recording that can be replayed. */
export interface Recording {
  readonly head: RecordingHead;
  /** Without a gap. */
  readonly steps: readonly RecordedStep[];
  /** The resources of contents, by the id of the contents. */
  readonly contents: ReadonlyMap<string, readonly ContentEntry[]>;
  /** Parts of the recording that a replay cannot repeat. */
  readonly unrecorded: readonly string[];
  /** Why the recording ends. Undefined if it was cut off, or is damaged after its last step. */
  readonly end: string | undefined;
}

/** Reads a recording as far as it is whole. Undefined if its begin cannot be read. */
export function readRecording(text: string): Recording | undefined {
  const { records } = readLines(text);
  const steps: RecordedStep[] = [];
  const contents = new Map<string, readonly ContentEntry[]>();
  const fields = new Map<string, ContentEntry["fields"]>();
  const unrecorded: string[] = [];
  let head: RecordingHead | undefined;
  let end: string | undefined;
  for (const { type, payload } of records) {
    // The checksum of the line says that a recorder wrote it.
    const value: unknown = JSON.parse(payload);
    if (!isMapping(value)) continue;
    if (type === "recording" && isHead(value)) head = value;
    else if (type === "unrecorded") unrecorded.push(String(value["what"]));
    else if (type === "end") end = String(value["reason"]);
    else if (type === "contents") contents.set(String(value["id"]), entriesIn(value["entries"], fields));
    else if (type === "step" && isStep(value)) {
      // A damaged line is missing.
      if (value.number !== steps.length + 1) return head && { head, steps, contents, unrecorded, end: undefined };
      steps.push(value);
    }
  }
  return head && { head, steps, contents, unrecorded, end };
}

function isHead(value: object): value is RecordingHead {
  return "format" in value && value.format === 1 && "sources" in value && "settings" in value;
}

function isStep(value: object): value is RecordedStep {
  return "number" in value && "at" in value && "cause" in value && isMapping(value.cause);
}

/** The fields of a resource stand where its bytes appear first. */
function entriesIn(value: unknown, known: Map<string, ContentEntry["fields"]>): readonly ContentEntry[] {
  const rows: readonly (readonly unknown[])[] = Array.isArray(value) ? value.filter(Array.isArray) : [];
  return rows.map(([name, version, hash, given]) => {
    const id = String(hash);
    if (isMapping(given)) known.set(id, given as ContentEntry["fields"]);
    return { name: String(name), version: String(version), hash: id, fields: known.get(id) ?? {} };
  });
}

/** The time of a step, in milliseconds since 1970. */
export function timeOfStep({ head }: Pick<Recording, "head">, { at }: Pick<RecordedStep, "at">): number {
  return head.startedAt + (at - head.clockAt);
}
