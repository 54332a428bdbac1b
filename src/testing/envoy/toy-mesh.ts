import { configId } from "../../config/config.ts";
import { assert } from "../../lib/assert.ts";
import { hashText } from "../../lib/hash.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import type { PushRequest } from "../../pilot/model/push-request.ts";
import type { Resource } from "../../pilot/model/resource.ts";
import type { Generator, GeneratorRun, PartInputs } from "../../pilot/xds/generator.ts";
import { ResourceSet } from "../../xds/resources/resource-set.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../xds/type-urls.ts";
import { textLength, varintLength, WireWriter } from "../../xds/wire/wire-format.ts";
import type { Poison, ReadResource } from "./model-stream.ts";

/** A mesh small enough to reason about: clusters with a revision, and routes that name clusters. */
export interface ToyMesh {
  readonly clusters: ReadonlyMap<string, number>;
  readonly endpoints: ReadonlyMap<string, number>;
  readonly routes: ReadonlyMap<string, readonly string[]>;
  /** Resources that clients reject, by type and name: `CDS a`. */
  readonly poison?: ReadonlyMap<string, Poison>;
}

/** The content of a toy resource beside its name. */
interface ToyContent {
  readonly revision?: number;
  readonly clusters?: readonly string[];
  readonly routes?: readonly string[];
  readonly poison?: Poison;
}

/** Reads toy resources back, for the model of Envoy. */
export const readToy: ReadResource = (typeUrl, value) => {
  const {
    name,
    classId: _,
    ...content
  } = JSON.parse(new TextDecoder().decode(value)) as ToyContent & {
    readonly name: string;
    readonly classId: string;
  };
  const empty = typeUrl === endpointType && content.revision === undefined;
  const awaitsEndpoints = typeUrl === clusterType;
  return { name, content: { ...content, awaitsEndpoints, empty, text: JSON.stringify(content) } };
};

export function toyContext(sequence: number, mesh: ToyMesh): PushContext {
  return { sequence, mesh } as unknown as PushContext;
}

function meshOf(push: PushContext): ToyMesh {
  return (push as unknown as { readonly mesh: ToyMesh }).mesh;
}

export function everythingChanged(startedAt = 0): PushRequest {
  return { changed: new Set(), forced: true, reasons: new Map([["toy", 1]]), startedAt };
}

interface ToyType {
  readonly typeUrl: string;
  readonly shortName: string;
  readonly sotw: "whole" | "partial";
  readonly contents: (mesh: ToyMesh) => Iterable<readonly [name: string, content: ToyContent]>;
  readonly absent?: ToyContent;
}

const types: readonly ToyType[] = [
  {
    typeUrl: clusterType,
    shortName: "CDS",
    sotw: "whole",
    contents: (mesh) => mapValues(mesh.clusters, (revision) => ({ revision })),
  },
  {
    typeUrl: endpointType,
    shortName: "EDS",
    sotw: "partial",
    contents: (mesh) => mapValues(mesh.endpoints, (revision) => ({ revision })),
    absent: {},
  },
  {
    typeUrl: listenerType,
    shortName: "LDS",
    sotw: "whole",
    contents: (mesh) => mapValues(mesh.routes, (_clusters, route) => ({ routes: [route] })),
  },
  {
    typeUrl: routeType,
    shortName: "RDS",
    sotw: "partial",
    contents: (mesh) => mapValues(mesh.routes, (clusters) => ({ clusters })),
    absent: { clusters: [] },
  },
];

function* mapValues<V>(map: ReadonlyMap<string, V>, content: (value: V, key: string) => ToyContent) {
  for (const [key, value] of map) yield [key, content(value, key)] as const;
}

/** Proxies of one namespace share a part. */
export interface ToyInputs extends PartInputs {
  readonly namespace: string;
}

/** Generators of the toy mesh in send order. Proxies of one namespace form a class. */
export function toyGenerators(): readonly Generator[] {
  return types.map(({ typeUrl, shortName, sotw, contents, absent }) => ({
    typeUrl,
    shortName,
    sotw,
    families: [
      {
        name: "toy",
        parts: (proxy): readonly ToyInputs[] => [{ namespace: proxy.namespace }],
        concerns: () => true,
        dependencies: () => () => true,
        generate: ({ inputs, push }: GeneratorRun<ToyInputs>) => ({
          covers: "all",
          resources: Array.from(contents(meshOf(push)), ([name, content]) => {
            const poison = meshOf(push).poison?.get(`${shortName} ${name}`);
            return toyResource(
              typeUrl,
              name,
              poison === undefined ? content : { ...content, poison },
              inputs.namespace,
            );
          }),
        }),
      },
    ],
    ...(absent && { absent: (name: string) => toyResource(typeUrl, name, absent, "absent") }),
  }));
}

/** The generator of one type. */
export function toyGenerator(typeUrl: string): Generator {
  const generator = toyGenerators().find((each) => each.typeUrl === typeUrl);
  assert(generator !== undefined, `${typeUrl} is a type of the toy mesh`);
  return generator;
}

/** Resources of one type, each with a revision as its content. */
export function setOf(typeUrl: string, revisions: Readonly<Record<string, number>>): ResourceSet {
  const resources = Object.entries(revisions).map(([name, revision]) =>
    toyResource(typeUrl, name, { revision }, "toy"),
  );
  return ResourceSet.empty.apply({ covers: "all", resources });
}

function toyResource(typeUrl: string, name: string, content: ToyContent, classId: string): Resource {
  const value = JSON.stringify({ name, classId, ...content });
  const length = textLength(typeUrl) + textLength(value);
  const writer = new WireWriter(1 + varintLength(length) + length);
  const entry = writer.header(2, length).text(1, typeUrl).text(2, value).bytes;
  const owners = [configId("Toy", "toy", name)];
  const resource = { name, version: hashText(entry), entry, owners };
  return typeUrl === clusterType ? { ...resource, warmedBy: name } : resource;
}
