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

/** Something that somebody could get wrong, as others did, and the promise that is broken then. */
export interface McpFault {
  readonly name: string;
  readonly breaks: McpPromise;
  readonly seams: McpSeams;
}

export const mcpFaults: readonly McpFault[] = [
  { name: "differences do not say what is gone", breaks: "truth", seams: { pushes: noRemovals } },
  { name: "differences forget an update now and then", breaks: "truth", seams: { pushes: updatesForgotten } },
  { name: "a source pretends to resume", breaks: "truth", seams: { pushes: pretendsToResume } },
  { name: "an empty collection is not worth a push", breaks: "answers", seams: { pushes: emptyUnsent } },
  { name: "a push is sent twice", breaks: "one at a time", seams: { pushes: twice } },
  { name: "nonces are those of the collection", breaks: "nonces count", seams: { pushes: repeating } },
  { name: "what was rejected is sent again at once", breaks: "rejections rest", seams: secondTime },
  { name: "a NACK counts as an ACK", breaks: "truth", seams: { requests: everythingIsAck } },
  { name: "an empty nonce acknowledges what is on its way", breaks: "truth", seams: emptyNonceIsAck },
  { name: "any nonce is good enough", breaks: "strangers change nothing", seams: anyNonce },
  { name: "an acknowledgement is a question now and then", breaks: "nothing twice", seams: { requests: doubtful } },
  { name: "what was sent counts as acknowledged", breaks: "patience", seams: { ackAtOnce: true } },
  { name: "a sink that holds something is taken to hold all", breaks: "truth", seams: heldMeansAll },
  { name: "versions count, and start anew with the process", breaks: "truth", seams: { objects: numbered } },
  { name: "changes are overheard now and then", breaks: "truth", seams: { changes: deaf } },
  { name: "what is sent is one snapshot late", breaks: "truth", seams: { sets: late } },
  { name: "timers outlive their streams", breaks: "tidiness", seams: { clock: unforgiving } },
  { name: "objects are encoded for every snapshot", breaks: "encoded once", seams: { forgetful: true } },
  { name: "an updater takes an empty full state for nothing", breaks: "truth", seams: { updater: emptyIgnored } },
  { name: "an updater that failed says that it did not", breaks: "truth", seams: { updater: swallowing } },
];
