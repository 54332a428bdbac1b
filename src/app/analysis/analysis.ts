import { analysisInput } from "../../config/analysis/analysis-input.ts";
import { type AnalysisReport, analyzeStepwise } from "../../config/analysis/analyze.ts";
import type { Analyzer } from "../../config/analysis/analyzer.ts";
import { LastLook } from "../../config/analysis/last-look.ts";
import type { Kind } from "../../config/kind.ts";
import { kinds } from "../../config/kinds.ts";
import type { Distributor } from "../../galley/snapshotter/distributor.ts";
import type { Snapshot } from "../../galley/snapshotter/snapshot.ts";
import { debounce } from "../../galley/snapshotter/strategy.ts";
import type { Supervisor } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import { createTurn } from "../../lib/time/turn.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import type { SupervisedPart } from "../parts/supervised-parts.ts";
import type { SourceSet } from "../sources/source-set.ts";
import { pacedTurn } from "../overload/paced-turn.ts";
import { viewsOf } from "./analysis-views.ts";
import { allAnalyzers } from "./patch-values.ts";

export interface AnalysisOptions {
  readonly domain: string;
  /** The time of day, in milliseconds since the epoch. */
  readonly now: () => number;
  /** The kinds that the sources read. Objects of other kinds are unknown. */
  readonly known: readonly Kind[];
  readonly analyzers: readonly Analyzer[];
  /** Lets others have their turn; awaited between analyzers. */
  readonly turn: () => Promise<void>;
  readonly supervisor: Supervisor<SupervisedPart>;
}

const part = "analysis";

/** How far the analysis is: `report` is of the newest snapshot when `pending` is false. */
export interface AnalysisState {
  readonly report: AnalysisReport | undefined;
  readonly pending: boolean;
  /** Looks that came to their end, and those that a newer snapshot called off. */
  readonly finished: number;
  readonly cancelled: number;
}

/**
 * Analyzes the newest snapshot only: a new snapshot cancels the running analysis. The analysis is not part of the
 * pipeline to the proxies. Pages and status writers read its results.
 */
export class Analysis implements Distributor {
  readonly #options: AnalysisOptions;
  #newest: Snapshot | undefined;
  #running: Promise<void> = Promise.resolve();
  #cancelRetry: Cancel = () => undefined;
  readonly #listeners: (() => void)[] = [];
  readonly #last = new LastLook();
  #state: AnalysisState = { report: undefined, pending: false, finished: 0, cancelled: 0 };

  constructor(options: AnalysisOptions) {
    this.#options = options;
  }

  get state(): AnalysisState {
    return this.#state;
  }

  /** Calls with every report, when it is in the state. A listener that throws makes the look fail, and be repeated. */
  onReport(listener: () => void): void {
    this.#listeners.push(listener);
  }

  distribute(snapshot: Snapshot): void {
    const cancelled = this.#state.cancelled + Number(this.#state.pending);
    this.#state = { ...this.#state, pending: true, cancelled };
    this.#newest = snapshot;
    this.#begin(snapshot);
  }

  #begin(snapshot: Snapshot): void {
    const { supervisor } = this.#options;
    this.#running = this.#look(snapshot, this.#running).then(
      () => supervisor.succeeded(part),
      (thrown: unknown) => {
        const again = () => {
          if (this.#newest === snapshot) this.#begin(snapshot);
        };
        this.#cancelRetry = supervisor.failed(part, thrown, { again });
      },
    );
  }

  /** Resolves when there is nothing left to look at. */
  async idle(): Promise<void> {
    for (let running: Promise<void> | undefined; running !== this.#running; ) {
      running = this.#running;
      await running;
    }
  }

  /** Cancels the running analysis. */
  async stop(): Promise<void> {
    this.#newest = undefined;
    this.#cancelRetry();
    await this.idle();
  }

  async #look(snapshot: Snapshot, previous: Promise<void>): Promise<void> {
    await previous;
    const { domain, now, known, turn } = this.#options;
    const input = analysisInput({ domain, now: now(), viewOf: viewsOf(snapshot.collections, known) });
    const steps = analyzeStepwise(this.#options.analyzers, input, this.#last);
    for (let step = steps.next(); this.#newest === snapshot; step = steps.next()) {
      if (step.done) {
        this.#state = { ...this.#state, report: step.value, pending: false, finished: this.#state.finished + 1 };
        for (const listener of this.#listeners) listener();
        return;
      }
      await turn();
    }
  }
}

/** Configuration changes in bursts, and no push waits for the analysis. */
const quietMs = 1_000;
const maxWaitMs = 10_000;

/** The analysis of a process, and how snapshots get there. The set of sources may change at run time. */
export function analysisOf({ options, supervisor, load }: ProcessContext, sourceSet: Pick<SourceSet, "sources">) {
  const clock = supervisor.clockFor(part);
  const turn = pacedTurn(createTurn(clock), clock, load.overload);
  const analysis = new Analysis({
    domain: options.domain,
    now: Date.now,
    get known() {
      const read = new Set(sourceSet.sources.flatMap(({ collections }) => collections));
      return kinds.filter(({ collection }) => read.has(collection));
    },
    analyzers: allAnalyzers,
    turn,
    supervisor,
  });
  return { analysis, publication: { distributor: analysis, strategy: debounce({ clock, quietMs, maxWaitMs }) } };
}
