import type { MomentId } from "../../history/moment.ts";
import type { KeptSegment } from "../../history/retention.ts";
import { History } from "../../history/history.ts";
import { readSegment } from "../../history/segment.ts";

/** The place of the segments of a log: a directory, or keys in etcd. One server writes, and many may read. */
export interface SegmentStore {
  /** Makes sure that segments can be written. Rejects with the reason. */
  prepare(): Promise<void>;
  list(): Promise<readonly KeptSegment[]>;
  /** The records of a segment, as far as they were written. */
  read(name: string): Promise<string>;
  /** Adds records, and creates the segment with the first ones. After a rejection, the same records may be added again. */
  append(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Longer segments are not ours: one is at most about twice as long as the objects in force. */
export const maxSegmentBytes = 1024 * 1024 * 1024;

const pattern = /^history\.(?<number>\d{1,15})\.(?<at>\d{1,15})\.[0-9a-f]{8}\.log$/u;

/** `random` has eight hexadecimal digits, so that two writers never share a segment. */
export function segmentName({ number, at }: MomentId, random: string): string {
  return `history.${String(number).padStart(12, "0")}.${at}.${random}.log`;
}

/** Undefined for a name that no segment has. */
export function beginIn(name: string): MomentId | undefined {
  const { number, at } = pattern.exec(name)?.groups ?? {};
  return number === undefined ? undefined : { number: Number(number), at: Number(at) };
}

/** The log in a store as it is now. */
export async function openHistory(store: Pick<SegmentStore, "list" | "read">): Promise<History> {
  const segments = await store.list();
  return new History(
    segments.map(({ name, begin }) => ({ begin, load: async () => readSegment(await store.read(name)) })),
  );
}
