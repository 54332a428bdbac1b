import type { McpPromise } from "../../../src/testing/mcp/mcp-monitor.ts";
import type { McpSeams } from "../../../src/testing/mcp/mcp-seams.ts";
import {
  emptyUnsent,
  noRemovals,
  pretendsToResume,
  repeating,
  secondTime,
  twice,
  updatesForgotten,
} from "./push-faults.ts";
import { anyNonce, doubtful, emptyNonceIsAck, everythingIsAck, heldMeansAll } from "./request-faults.ts";
import { deaf, emptyIgnored, late, numbered, swallowing, unforgiving } from "./state-faults.ts";

/** A mistake that an implementation could make, as others did, and the promise that it breaks. */
export interface McpFault {
  readonly name: string;
  readonly breaks: McpPromise;
  readonly seams: McpSeams;
}

export const mcpFaults: readonly McpFault[] = [
  { name: "deltas omit removals", breaks: "truth", seams: { pushes: noRemovals } },
  { name: "deltas omit some updates", breaks: "truth", seams: { pushes: updatesForgotten } },
  { name: "a source pretends to resume", breaks: "truth", seams: { pushes: pretendsToResume } },
  { name: "an empty collection is not pushed", breaks: "answers", seams: { pushes: emptyUnsent } },
  { name: "a push is sent twice", breaks: "one at a time", seams: { pushes: twice } },
  { name: "nonces count per collection", breaks: "nonces count", seams: { pushes: repeating } },
  { name: "a rejected version is sent again at once", breaks: "rejections rest", seams: secondTime },
  { name: "a NACK counts as an ACK", breaks: "truth", seams: { requests: everythingIsAck } },
  { name: "an empty nonce acknowledges the pending push", breaks: "truth", seams: emptyNonceIsAck },
  { name: "any nonce is accepted", breaks: "strangers change nothing", seams: anyNonce },
  { name: "some ACKs count as subscriptions", breaks: "nothing twice", seams: { requests: doubtful } },
  { name: "a sent push counts as acknowledged", breaks: "patience", seams: { ackAtOnce: true } },
  { name: "a sink with some resources counts as complete", breaks: "truth", seams: heldMeansAll },
  { name: "versions are counters, and restart with the process", breaks: "truth", seams: { objects: numbered } },
  { name: "some changes are missed", breaks: "truth", seams: { changes: deaf } },
  { name: "pushes are one snapshot late", breaks: "truth", seams: { sets: late } },
  { name: "timers outlive their streams", breaks: "tidiness", seams: { clock: unforgiving } },
  { name: "objects are encoded for every snapshot", breaks: "encoded once", seams: { forgetful: true } },
  { name: "an updater ignores an empty full state", breaks: "truth", seams: { updater: emptyIgnored } },
  { name: "a failed updater reports success", breaks: "truth", seams: { updater: swallowing } },
];
