import { randomBytes } from "node:crypto";
import type { Processor } from "../../galley/processor/processor.ts";
import { createTurn } from "../../lib/time/turn.ts";
import type { ProcessContext, ProcessPart } from "../parts/process-part.ts";
import { component, withFlagNamed } from "../process/lifecycle.ts";
import { FileSegments } from "./file-segments.ts";
import { HistoryRecorder } from "./history-recorder.ts";

const name = "history";

/** The log of the configuration in force. It starts when the whole mesh is served. */
export interface HistoryPart {
  readonly part: ProcessPart;
  /** Gets the commits of Galley's graph. */
  readonly recorder: HistoryRecorder;
}

/** Undefined with `--history off`. */
export function historyPart(
  { options, clock, supervisor, logs }: ProcessContext,
  { united }: Pick<Processor, "united">,
): HistoryPart | undefined {
  if (options.history === "off") return undefined;
  const { domain, clusterId, scopeGatewayToNamespace, workloadHealth } = options;
  const recorder = new HistoryRecorder({
    store: new FileSegments(options.history),
    united,
    settings: { domain, clusterId, scopeGatewayToNamespace, workloadHealth },
    limits: { maxBytes: options.historyMaxBytes, maxAgeMs: options.historyMaxAgeMs },
    clock: supervisor.clockFor(name),
    turn: createTurn(clock),
    timeOfDay: Date.now,
    random: () => randomBytes(4).toString("hex"),
    logger: logs.logger("server"),
    onFailure: supervisor.reporterFor(name),
  });
  return {
    part: {
      components: [withFlagNamed(component(name, { start: () => recorder.start(), stop: () => recorder.stop() }))],
      emitter: { name, awaited: () => [] },
    },
    recorder,
  };
}
