import type { JournalEntry } from "../journal.ts";
import type { StreamFacts } from "../mcp-observer.ts";
import type { LastNack } from "./collection-watch.ts";
import type { QueueDump } from "./unique-queue.ts";

/** One collection of one sink. */
export interface CollectionStatus {
  readonly collection: string;
  readonly sentVersion: string | undefined;
  readonly ackedVersion: string | undefined;
  readonly lastNack: LastNack | undefined;
  /** When the last push was sent, in the clock's milliseconds. 0 before the first. */
  readonly sentAt: number;
  /** The nonce of the unanswered push. */
  readonly pendingNonce: string | undefined;
}

/** One sink, as long as its stream is open. */
export interface StreamStatus extends StreamFacts {
  /** The id that the sink gives itself. */
  readonly nodeId: string;
  readonly openedAt: number;
  readonly collections: readonly CollectionStatus[];
  readonly queue: QueueDump;
  readonly recentRequests: readonly JournalEntry[];
}
