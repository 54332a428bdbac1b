import { isDebugType } from "../../admin/debug-xds/debug-types.ts";
import { isSealed } from "../../history/logged-object.ts";
import type { Difference } from "../../recording/difference.ts";
import { compareStep } from "../../recording/difference.ts";
import { nodeIdIn } from "../../recording/recorded-request.ts";
import { type Recording, timeOfStep } from "../../recording/recording.ts";
import type { RecordedStep } from "../../recording/step.ts";
import type { Mode } from "../../xds/mode.ts";
import { type ReplayServer, replayServer } from "./replay-server.ts";

export interface ReplayOptions {
  /** Ends before the first step after this time, in milliseconds since 1970. */
  readonly until: number;
  /** Compares only the responses to these proxies. */
  readonly isCompared: (nodeId: string) => boolean;
  /** Resolves when all promises that a step settled have run. */
  readonly settled: () => Promise<void>;
}

/** A difference, and the proxy that it concerns. */
export interface FoundDifference extends Difference {
  /** The id of its node. Empty if it sent none. */
  readonly proxy: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export interface ReplayReport {
  readonly steps: number;
  readonly responses: number;
  /** The responses that carry Secrets, of which only the names are compared. */
  readonly secrets: number;
  readonly differences: number;
  readonly first: FoundDifference | undefined;
  /** Objects and requests without their secrets. Responses made of them may differ. */
  readonly redacted: readonly string[];
  /** The time of the last step. Undefined without steps. */
  readonly lastAt: number | undefined;
  /** Bugs of the pipeline that showed. */
  readonly failures: readonly Error[];
  /** Shows the state after the last step. */
  readonly server: ReplayServer;
}

/** Repeats a recording and compares every response with the recorded one. */
export async function runReplay(recording: Recording, options: ReplayOptions): Promise<ReplayReport> {
  const failures: Error[] = [];
  const server = await replayServer(recording, (cause) => failures.push(cause));
  const nodes = new StreamNodes();
  const redacted = new Set<string>();
  const comparison = {
    contents: recording.contents,
    isLeftOut: isDebugType,
    isCompared: (stream: number) => options.isCompared(nodes.of(stream)),
  };
  const report = { steps: 0, responses: 0, secrets: 0, differences: 0 };
  let first: FoundDifference | undefined;
  let lastAt: number | undefined;
  for (const step of recording.steps) {
    const time = timeOfStep(recording, step);
    if (time > options.until) break;
    nodes.note(step);
    for (const each of redactedIn(step)) redacted.add(each);
    const sent = await server.replay.perform(step, server.target, options.settled);
    const { responses, secrets, differences } = compareStep(step, sent, comparison);
    report.steps += 1;
    report.responses += responses;
    report.secrets += secrets;
    report.differences += differences.length;
    const [found] = differences;
    if (found !== undefined) first ??= { ...found, proxy: nodes.of(found.stream), time };
    lastAt = time;
  }
  return { ...report, first, redacted: [...redacted], lastAt, failures, server };
}

/** The nodes of the clients, by their streams. */
class StreamNodes {
  readonly #modes = new Map<number, Mode>();
  readonly #ids = new Map<number, string>();

  note({ cause }: RecordedStep): void {
    if (cause.type === "open") this.#modes.set(cause.stream, cause.kind.mode);
    if (cause.type !== "request" || this.#ids.has(cause.stream)) return;
    const id = nodeIdIn(Buffer.from(cause.bytes, "base64"), this.#modes.get(cause.stream) ?? "sotw");
    if (id !== undefined) this.#ids.set(cause.stream, id);
  }

  of(stream: number): string {
    return this.#ids.get(stream) ?? "";
  }
}

/** Names the parts of a step that secrets were left out of. */
function redactedIn({ cause }: RecordedStep): readonly string[] {
  if (cause.type === "request") return cause.redacted === true ? [`request of stream ${cause.stream}`] : [];
  if (cause.type !== "source") return [];
  return cause.events.flatMap((event) => {
    if (event.type !== "upserted" || !isSealed(event.object)) return [];
    const { kind, namespace, name } = event.object;
    return [`${kind}/${namespace}/${name}`];
  });
}
