import { create, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { Graph } from "../../src/collection/graph.ts";
import type { Input } from "../../src/collection/input.ts";
import { type Config, configKey } from "../../src/config/config.ts";
import { isRefused } from "../../src/config/finding.ts";
import { outputOf } from "../../src/config/kind.ts";
import { kinds } from "../../src/config/kinds.ts";
import { parseMeshConfig, parseMeshNetworks } from "../../src/config/parse/mesh-files.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import type { Proxy } from "../../src/pilot/model/proxy/proxy.ts";
import { capturePush } from "../../src/pilot/model/push-context.ts";
import type { Resource } from "../../src/pilot/model/resource.ts";
import { buildEnvironment, type Environment } from "../../src/pilot/registry/environment.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";
import { readNode } from "../../src/pilot/xds/node.ts";

/** A file of configuration, or a whole mesh in one text. */
export interface ScenarioSource {
  readonly file: string;
  readonly text: string;
}

/** Pilot's graph, filled as a link would fill it. */
export class LoadedMesh {
  readonly graph = new Graph();
  readonly environment: Environment = buildEnvironment(this.graph, {
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });

  /** Sets every object of a file. Throws on any error that a user would see. */
  load(source: ScenarioSource): void {
    const errors = this.loadValid(source);
    if (errors.length > 0) throw new Error(errors.join("\n"));
  }

  /** Sets every object of a file that has no error and that Pilot accepts. Returns the errors of the others. */
  loadValid(source: ScenarioSource): readonly string[] {
    const { configs, issues } = parseConfigs({ ...source, source: "golden", kinds, defaultNamespace: "default" });
    for (const config of configs)
      this.environment.inputs.get(collectionOf(config.kind))?.set(configKey(config), config);
    return issues.filter((issue) => isRefused([issue])).map(({ path, message }) => `${path}: ${message}`);
  }

  loadMeshConfig(source: ScenarioSource): void {
    const { config } = parseMeshConfig({ ...source, source: "golden" });
    if (config !== undefined) this.#inputNamed("istio/mesh/v1alpha1/MeshConfig").set("mesh", config);
  }

  loadMeshNetworks(source: ScenarioSource): void {
    const { config } = parseMeshNetworks({ ...source, source: "golden" });
    if (config !== undefined) this.#inputNamed("istio/mesh/v1alpha1/MeshNetworks").set("networks", config);
  }

  /** The input for the objects of a kind. */
  input(kind: string): Input<Config> {
    return this.#inputNamed(collectionOf(kind));
  }

  #inputNamed(collection: string): Input<Config> {
    const input = this.environment.inputs.get(collection);
    if (input === undefined) throw new Error(`no input ${collection}`);
    return input;
  }
}

/** The collection in which objects of a kind leave Galley. */
function collectionOf(kind: string): string {
  const row = kinds.find((candidate) => candidate.kind === kind);
  return (row && outputOf(row)) ?? kind;
}

export function loadEnvironment(sources: readonly ScenarioSource[], mesh?: ScenarioSource): Environment {
  const loaded = new LoadedMesh();
  loaded.graph.batch(() => {
    for (const source of sources) loaded.load(source);
    if (mesh !== undefined) loaded.loadMeshConfig(mesh);
  });
  return loaded.environment;
}

/** The proxy of a node in JSON: id and metadata. */
export function proxyFrom(node: JsonValue): Proxy {
  const message = fromJson(NodeSchema, node, { ignoreUnknownFields: true });
  return readNode(toBinary(NodeSchema, create(NodeSchema, message)));
}

/** All resources of a proxy, by CDS, EDS, LDS and RDS, each sorted by name. */
export function generateFor(proxy: Proxy, environment: Environment): ReadonlyMap<string, readonly Resource[]> {
  const push = capturePush(environment.views(), 1);
  const generated = createGenerators({ writer: new ProtoWriter() }).map((generator) => {
    const resources = generator.families.flatMap((family) =>
      family.parts(proxy, push, "all").flatMap((inputs) => family.generate({ inputs, push }).resources),
    );
    return [generator.shortName, resources.toSorted((a, b) => (a.name < b.name ? -1 : 1))] as const;
  });
  return new Map(generated);
}
