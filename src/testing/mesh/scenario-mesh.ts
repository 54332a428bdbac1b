import { viewsOf } from "../../app/analysis/analysis-views.ts";
import { buildDiscovery } from "../../app/build-pilot.ts";
import { buildMesh, type Pipeline, type PipelineOptions, protocolDefaults } from "../../app/pipeline.ts";
import type { Collection, Commit, Problem } from "../../collection/collection.ts";
import { analysisInput } from "../../config/analysis/analysis-input.ts";
import { type AnalysisReport, analyze } from "../../config/analysis/analyze.ts";
import { analyzers } from "../../config/analysis/analyzers.ts";
import { type Config, configKey } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";
import { kinds } from "../../config/kinds.ts";
import type { PushRequest } from "../../pilot/model/push-request.ts";
import type { Environment } from "../../pilot/registry/environment.ts";
import type { ProxyLifecycleHooks } from "../../pilot/xds/admission/stream-admission.ts";
import type { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import type { Generator } from "../../pilot/xds/generator.ts";
import { collectionOf } from "../config/configs-in.ts";
import { EnvoyModel, type ModelNode, settleAll } from "../envoy/envoy-model.ts";
import { readEnvoyResource } from "../envoy/envoy-resources.ts";
import { FakeClock } from "../fake-clock.ts";
import { YamlSource } from "../galley/yaml-source.ts";
import { RecordingObserver } from "../recording/recording-observer.ts";
import { keyEpoch } from "./token-edits.ts";

/** Options that differ from the default, and sources beside the one that scenarios write to. */
export interface ScenarioOptions extends Partial<Omit<PipelineOptions, "clock" | "onUpdate" | "lifecycleHooks">> {
  /** Builds the lifecycle hooks from the output collections of Galley. */
  readonly lifecycleHooksFor?: (outputs: Pipeline["processor"]["outputs"]) => ProxyLifecycleHooks;
}

/** One run of a generator for one part: a full run, or an incremental one. */
export interface GeneratorRecord {
  readonly type: string;
  readonly family: string;
  readonly full: boolean;
}

function recorded(generator: Generator, runs: GeneratorRecord[]): Generator {
  const families = generator.families.map((family) => ({
    ...family,
    generate(run: Parameters<typeof family.generate>[0]) {
      runs.push({ type: generator.shortName, family: family.name, full: run.since === undefined });
      return family.generate(run);
    },
  }));
  return { ...generator, families };
}

/** Issuers that answer at once. The content of key sets follows from an object, so that a fresh server has the same. */
function fetchKeySets({ requestAuthentications, policiesByKeySet, fetchedKeySets }: Environment): void {
  const [rule] = requestAuthentications.get(configKey(keyEpoch))?.rules ?? [];
  const text = JSON.stringify({ keys: [], epoch: rule?.issuer });
  fetchedKeySets.replaceAll(Array.from(policiesByKeySet.entries(), ([key]) => [key, { text }] as const));
}

/** The complete pipeline from a source to proxies, in memory, with the clock under control of the test. */
export class ScenarioMesh {
  readonly clock = new FakeClock();
  readonly observer = new RecordingObserver();
  readonly #source = new YamlSource();
  /** The push requests that reached the discovery server, in order. */
  readonly requests: PushRequest[] = [];
  /** Every run of a generator, in order. */
  readonly runs: GeneratorRecord[] = [];
  readonly #pipeline: Pipeline;
  readonly #requestListeners: ((request: PushRequest) => void)[] = [];

  constructor({ sources = [], tap = (generators) => generators, lifecycleHooksFor, ...more }: ScenarioOptions = {}) {
    const options: PipelineOptions = {
      sources: [this.#source, ...sources],
      settings: { domain: "cluster.local", clusterId: "Kubernetes" },
      clock: this.clock,
      turn: () => Promise.resolve(),
      debounce: { quietMs: 10, maxWaitMs: 100 },
      observer: this.observer,
      protocol: protocolDefaults,
      tap: (generators) => tap(generators).map((generator) => recorded(generator, this.runs)),
      onUpdate: (request) => {
        this.requests.push(request);
        for (const listener of this.#requestListeners) listener(request);
      },
      onSnapshotError: (error) => {
        throw error;
      },
      ...more,
    };
    const mesh = buildMesh(options);
    mesh.pilot.onCommit((commit) => {
      if (commit.changesOf(mesh.environment.requestAuthentications).length > 0) fetchKeySets(mesh.environment);
    });
    const lifecycleHooks = lifecycleHooksFor?.(mesh.processor.outputs);
    this.#pipeline = { ...mesh, ...buildDiscovery(mesh, { ...options, ...(lifecycleHooks && { lifecycleHooks }) }) };
  }

  /** A mesh that serves these objects. */
  static async serving(yaml: string, options: ScenarioOptions = {}): Promise<ScenarioMesh> {
    const mesh = new ScenarioMesh(options);
    mesh.apply(yaml);
    await mesh.start();
    return mesh;
  }

  /** Starts as far as its sources allow. The mesh is ready when proxies get the objects of all sources. */
  async start(): Promise<void> {
    const { snapshotter, processor } = this.#pipeline;
    snapshotter.start();
    await processor.start();
    await this.open();
  }

  /** Admits proxies once all current objects have arrived. */
  async open(): Promise<void> {
    const { link, discovery } = this.#pipeline;
    await this.pushed();
    if (link.awaited.size > 0) return;
    await discovery.caughtUp();
    discovery.markReady();
  }

  get environment(): Environment {
    return this.#pipeline.environment;
  }

  /** Answers how far objects are. */
  get waits(): Pipeline["waits"] {
    return this.#pipeline.waits;
  }

  get discovery(): DiscoveryServer {
    return this.#pipeline.discovery;
  }

  /** The output collections of Galley. */
  get outputs(): ReadonlyMap<string, Collection<Config>> {
    return this.#pipeline.processor.outputs;
  }

  /** The objects of all sources, as the history of a server records them. */
  get united(): ReadonlyMap<string, Collection<Config>> {
    return this.#pipeline.processor.united;
  }

  /** Calls back for each commit of Galley's graph. */
  onGalleyCommit(listener: (commit: Commit) => void): void {
    this.#pipeline.galley.onCommit(listener);
  }

  /** Calls back for each push request, before the discovery server gets it. */
  onRequest(listener: (request: PushRequest) => void): void {
    this.#requestListeners.push(listener);
  }

  /** The failing derivations of both graphs. */
  get problems(): readonly Problem[] {
    return [...this.#pipeline.galley.problems, ...this.#pipeline.pilot.problems];
  }

  /** The analysis report of the current mesh. */
  get analysed(): AnalysisReport {
    const collections = this.#pipeline.processor.outputsOf("localAnalysis");
    return analyze(analyzers, analysisInput({ domain: "cluster.local", now: 0, viewOf: viewsOf(collections, kinds) }));
  }

  get encodings(): number {
    return this.#pipeline.writer.encodings;
  }

  /** Creates or replaces the objects of a text, as one change. */
  apply(yaml: string): void {
    this.#source.apply(yaml);
  }

  /** Applies the objects without errors, as a source does. Returns the issues of the others. */
  applyValid(yaml: string): readonly Issue[] {
    return this.#source.applyValid(yaml);
  }

  /** Makes one change of everything that `work` does. */
  batch(work: () => void): void {
    this.#source.batch(work);
  }

  remove(kind: string, namespace: string, name: string, apiVersion = "networking.istio.io/v1"): void {
    this.#source.delete(collectionOf({ apiVersion, kind }), `${namespace}/${name}`);
  }

  /** Deletes the objects of a text, as one change. */
  removeAll(yaml: string): void {
    this.#source.remove(yaml);
  }

  /** A proxy that has just opened its stream. */
  connect(mode: "sotw" | "delta", node: ModelNode): EnvoyModel {
    const envoy = new EnvoyModel(mode, readEnvoyResource, node);
    envoy.connect(this.#pipeline.discovery);
    return envoy;
  }

  /** Lets the debounce window pass, and waits until every push has left. */
  async pushed(): Promise<void> {
    const { discovery } = this.#pipeline;
    this.clock.advance(100);
    // A timer at the end of this time may have changed the mesh.
    if (discovery.isDebouncing) this.clock.advance(100);
    await discovery.idle();
  }

  settle(envoys: readonly Pick<EnvoyModel, "step">[]): Promise<void> {
    return settleAll(envoys, () => this.pushed());
  }
}
