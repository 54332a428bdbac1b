import { viewsOf } from "../app/analysis-views.ts";
import { buildPipeline, type Pipeline, protocolDefaults } from "../app/pipeline.ts";
import type { Problem } from "../collection/collection.ts";
import { analyze, type Report } from "../config/analysis/analyze.ts";
import { analyzers } from "../config/analysis/analyzers.ts";
import { analysisInput } from "../config/analysis/input.ts";
import { configKey } from "../config/config.ts";
import type { Issue } from "../config/issue.ts";
import { kindOf, kinds } from "../config/kinds.ts";
import { parseConfigs } from "../config/parse.ts";
import { MemorySource } from "../galley/source/memory.ts";
import { assert } from "../lib/assert.ts";
import { EnvoyModel, type ModelNode, settleAll } from "./envoy-model.ts";
import { readEnvoyResource } from "./envoy-resources.ts";
import { FakeClock } from "./fake-clock.ts";
import { RecordingObserver } from "./recording-observer.ts";

/** The whole road from a source to proxies, in memory, with time in the test's hands. */
export class ScenarioMesh {
  readonly clock = new FakeClock();
  readonly observer = new RecordingObserver();
  readonly #source = new MemorySource({ name: "memory", collections: kinds.map(({ collection }) => collection) });
  readonly #pipeline: Pipeline = buildPipeline({
    sources: [this.#source],
    settings: { domain: "cluster.local", clusterId: "Kubernetes" },
    clock: this.clock,
    turn: () => Promise.resolve(),
    debounce: { quietMs: 10, maxWaitMs: 100 },
    observer: this.observer,
    protocol: protocolDefaults,
    onUpdate: () => undefined,
    onSnapshotError: (error) => {
      throw error;
    },
  });

  /** A mesh that serves these objects. */
  static async serving(yaml: string): Promise<ScenarioMesh> {
    const mesh = new ScenarioMesh();
    mesh.apply(yaml);
    mesh.#pipeline.snapshotter.start();
    await mesh.#pipeline.processor.start();
    await mesh.pushed();
    mesh.#pipeline.discovery.markReady();
    return mesh;
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
