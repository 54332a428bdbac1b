import { randomBytes } from "node:crypto";
import type { Commit } from "../../collection/collection.ts";
import type { Processor } from "../../galley/processor/processor.ts";
import { createTurn } from "../../lib/time/turn.ts";
import type { PushRequest } from "../../pilot/model/push-request.ts";
import type { StartedPush, XdsObserver } from "../../pilot/xds/observer.ts";
import type { ProcessContext, ProcessPart } from "../parts/process-part.ts";
import { component, withFlagNamed } from "../process/lifecycle.ts";
import { FleetNotes, withNotes } from "./fleet-notes.ts";
import type { ConnectedProxies } from "./fleet-sampler.ts";
import { HistoryRecorder } from "./history-recorder.ts";
import { serverHistoryStore } from "./history-store.ts";

const name = "history";

/** The log of the configuration in force, and of the proxies. It starts when the whole mesh is served. */
export class HistoryPart {
  readonly #context: ProcessContext;
  /** Writes the log. */
  readonly recorder: HistoryRecorder;
  readonly #notes: FleetNotes;

  constructor(context: ProcessContext, { united }: Pick<Processor, "united">) {
    const { options, clock, supervisor, logs } = context;
    const { domain, clusterId, scopeGatewayToNamespace, workloadHealth } = options;
    const own = supervisor.clockFor(name);
    this.#context = context;
    this.recorder = new HistoryRecorder({
      store: serverHistoryStore(options),
      united,
      settings: { domain, clusterId, scopeGatewayToNamespace, workloadHealth },
      limits: { maxBytes: options.historyMaxBytes, maxAgeMs: options.historyMaxAgeMs },
      clock: own,
      turn: createTurn(clock),
      timeOfDay: Date.now,
      random: () => randomBytes(4).toString("hex"),
      logger: logs.logger("server"),
      onFailure: supervisor.reporterFor(name),
      onProxiesLost: supervisor.guard(name, () => this.#notes.reset()),
    });
    this.#notes = new FleetNotes({ clock: own, timeOfDay: Date.now, recorder: this.recorder });
  }

  /** A commit of Galley's graph. Must be called after the snapshots of the commit were taken. */
  committed(commit: Commit): void {
    this.#notes.positions.committed(commit.sequence);
    this.recorder.committed(commit);
  }

  /** A push of these commits follows. */
  requested({ commits = [] }: PushRequest): void {
    this.#context.supervisor.run(name, () => this.#notes.positions.requested(commits));
  }

  /** The observer, and the notes about proxies after it. */
  observing(observer: XdsObserver, supervisor: ProcessContext["supervisor"]): XdsObserver {
    const pushStarted = supervisor.guard(name, (push: StartedPush) => this.#notes.pushStarted(push));
    return withNotes(observer, { pushStarted });
  }

  /** From now on the log has the proxies of this server. */
  attach(discovery: ConnectedProxies): void {
    this.#notes.attach(discovery);
  }

  get part(): ProcessPart {
    const [recorder, notes] = [this.recorder, this.#notes];
    const start = async () => {
      await recorder.start();
      notes.start();
    };
    const stop = async () => {
      notes.stop();
      await recorder.stop();
    };
    return {
      components: [withFlagNamed(component(name, { start, stop }))],
      emitter: { name, awaited: () => [] },
    };
  }
}

/** Undefined with `--history off`. */
export function historyPart(context: ProcessContext, processor: Pick<Processor, "united">): HistoryPart | undefined {
  return context.options.history === "off" ? undefined : new HistoryPart(context, processor);
}

/** The observer of the discovery server: with the history, if there is one. */
export function loggedBy(
  history: HistoryPart | undefined,
  observer: XdsObserver,
  supervisor: ProcessContext["supervisor"],
): XdsObserver {
  return history === undefined ? observer : history.observing(observer, supervisor);
}
