import { viewsOf } from "../../app/analysis/analysis-views.ts";
import { buildPipeline, type Pipeline, type PipelineOptions, protocolDefaults } from "../../app/pipeline.ts";
import type { Collection, Problem } from "../../collection/collection.ts";
import { analyze, type Report } from "../../config/analysis/analyze.ts";
import { analyzers } from "../../config/analysis/analyzers.ts";
import { analysisInput } from "../../config/analysis/input.ts";
import { type Config, configKey } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";
import { kindOf, kinds } from "../../config/kinds.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import { assert } from "../../lib/assert.ts";
import type { PushRequest } from "../../pilot/model/push-request.ts";
import type { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import type { Generator } from "../../pilot/xds/generator.ts";
import { EnvoyModel, type ModelNode, settleAll } from "../envoy/envoy-model.ts";
import { readEnvoyResource } from "../envoy/envoy-resources.ts";
import { FakeClock } from "../fake-clock.ts";
import { RecordingObserver } from "../recording/recording-observer.ts";

/** What is different, and sources beside the one that scenarios write to. */
export type ScenarioOptions = Partial<Omit<PipelineOptions, "clock" | "onUpdate" | "tap">>;

/** One run of a generator for one part: of all of it, or of what changed. */
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

/** The whole road from a source to proxies, in memory, with time in the test's hands. */
export class ScenarioMesh {
  readonly clock = new FakeClock();
  readonly observer = new RecordingObserver();
  readonly #source = new MemorySource({ name: "memory", collections: kinds.map(({ collection }) => collection) });
  /** What reached the discovery server, in order. */
  readonly requests: PushRequest[] = [];
  /** Every run of a generator, in order. */
  readonly runs: GeneratorRecord[] = [];
  readonly #pipeline: Pipeline;

  constructor({ sources = [], ...more }: ScenarioOptions = {}) {
    this.#pipeline = buildPipeline({
      sources: [this.#source, ...sources],
      settings: { domain: "cluster.local", clusterId: "Kubernetes" },
      clock: this.clock,
      turn: () => Promise.resolve(),
      debounce: { quietMs: 10, maxWaitMs: 100 },
      observer: this.observer,
      protocol: protocolDefaults,
      tap: (generators) => generators.map((generator) => recorded(generator, this.runs)),
      onUpdate: (request) => this.requests.push(request),
      onSnapshotError: (error) => {
        throw error;
      },
      ...more,
    });
  }

  /** A mesh that serves these objects. */
  static async serving(yaml: string, options: ScenarioOptions = {}): Promise<ScenarioMesh> {
    const mesh = new ScenarioMesh(options);
    mesh.apply(yaml);
    await mesh.start();
    return mesh;
  }

  /** Starts, as far as its sources let it: it is ready when all of them are in what proxies get. */
  async start(): Promise<void> {
    const { snapshotter, processor } = this.#pipeline;
    snapshotter.start();
    await processor.start();
    await this.open();
  }

  /** Lets proxies in, if everything there is has arrived. */
  async open(): Promise<void> {
    const { link, discovery } = this.#pipeline;
    await this.pushed();
    if (link.awaited.size > 0) return;
    await discovery.caughtUp();
    discovery.markReady();
  }

  get discovery(): DiscoveryServer {
    return this.#pipeline.discovery;
  }

  /** What Galley hands out. */
  get outputs(): ReadonlyMap<string, Collection<Config>> {
    return this.#pipeline.processor.outputs;
  }

  /** The derivations that fail, of both graphs. */
  get problems(): readonly Problem[] {
    return [...this.#pipeline.galley.problems, ...this.#pipeline.pilot.problems];
  }

  /** What analysis finds in the mesh as it is. */
  get analysed(): Report {
    const collections = this.#pipeline.processor.outputsOf("localAnalysis");
    return analyze(analyzers, analysisInput({ domain: "cluster.local", now: 0, viewOf: viewsOf(collections, kinds) }));
  }

  get encodings(): number {
    return this.#pipeline.writer.encodings;
  }

  /** Creates or replaces the objects of a text, as one change. */
  apply(yaml: string): void {
    const error = this.applyValid(yaml).find(({ severity }) => severity === "error");
    assert(error === undefined, `a scenario's YAML is valid: ${error?.message}`);
  }

  /** The same for those without errors, as a source does it; returns what is wrong with the others. */
  applyValid(yaml: string): readonly Issue[] {
    const file = { file: "scenario.yaml", source: "memory" };
    const { configs, issues } = parseConfigs({ text: yaml, ...file, kinds, defaultNamespace: "default" });
    this.#source.batch(() => {
      for (const config of configs) this.#source.set(collectionOf(config.apiVersion, config.kind), config);
    });
    return issues;
  }

  /** Makes one change of all that is done meanwhile. */
  batch(work: () => void): void {
    this.#source.batch(work);
  }

  remove(kind: string, namespace: string, name: string, apiVersion = "networking.istio.io/v1"): void {
    this.#source.delete(collectionOf(apiVersion, kind), `${namespace}/${name}`);
  }

  /** Takes away the objects of a text, as one change. */
  removeAll(yaml: string): void {
    const file = { file: "scenario.yaml", source: "memory" };
    const { configs } = parseConfigs({ text: yaml, ...file, kinds, defaultNamespace: "default" });
    this.#source.batch(() => {
      for (const config of configs)
        this.#source.delete(collectionOf(config.apiVersion, config.kind), configKey(config));
    });
  }

  /** A proxy that has just opened its stream. */
  connect(mode: "sotw" | "delta", node: ModelNode): EnvoyModel {
    const envoy = new EnvoyModel(mode, readEnvoyResource, node);
    envoy.connect(this.#pipeline.discovery);
    return envoy;
  }

  /** Lets the debounce window pass and every push leave. */
  async pushed(): Promise<void> {
    this.clock.advance(100);
    await this.#pipeline.discovery.idle();
  }

  settle(envoys: readonly EnvoyModel[]): Promise<void> {
    return settleAll(envoys, () => this.pushed());
  }
}

function collectionOf(apiVersion: string, kind: string): string {
  const row = kindOf(apiVersion, kind);
  assert(row !== undefined, `${apiVersion} ${kind} is in the kind table`);
  return row.collection;
}
