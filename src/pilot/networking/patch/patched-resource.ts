import { type DescMessage, fromBinary, type Message, type MessageShape } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { type Cluster, Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { anyIn } from "../../../xds/wire/entry.ts";
import type { EnvoyPatch, PatchContext } from "../../model/policy/envoy-patch.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";
import { clusterProblems, listenerProblems } from "./check/structure.ts";
import { violationsIn } from "./check/violations.ts";
import { EncodedRoutes } from "./encoded-routes.ts";
import { clusterIdentity } from "./match/match-cluster.ts";
import { patchCluster } from "./patch-cluster.ts";
import { patchListener } from "./patch-listener.ts";
import { namedHosts, patchRoutes } from "./patch-routes.ts";
import { type PatchProblem, PatchRun } from "./patch-run.ts";
import type { PatchedPart } from "./patch-trace.ts";
import { settlePatches } from "./settle-patches.ts";

/** A resource after its patches. */
export interface PatchedResource {
  /** Undefined if a patch removes it. */
  readonly resource: Resource | undefined;
  readonly applied: readonly EnvoyPatch[];
  readonly problems: ReadonlyMap<EnvoyPatch, PatchProblem>;
  /** By patch: the parts that it made or changed, and that the resource still has. */
  readonly parts: ReadonlyMap<EnvoyPatch, readonly PatchedPart[]>;
}

type Held = readonly [Resource, ProtoWriter, ...(readonly EnvoyPatch[])];

/** An inbound cluster is known by the services behind it too. */
interface ClusterFacts {
  readonly context: PatchContext;
  readonly served: readonly string[];
}

/** The resource after these patches. Asked again with the same resource and patches, it returns the same object. */
export const patchedCluster: (held: Held, facts: ClusterFacts) => PatchedResource = memoize(
  ([resource, writer, ...patches]: Held, { context, served }: ClusterFacts) =>
    patchedBy({
      resource,
      patches,
      context,
      writer,
      ...decoded(ClusterSchema, resource, writer),
      patch: (cluster, run) => patchCluster(cluster, clusterIdentity(resource.name, served), run),
      problems: (cluster) => [...clusterProblems(cluster), ...violationsIn(ClusterSchema, cluster)],
      warmedBy: endpointsOf,
    }),
);

export const patchedListener: (held: Held, facts: { readonly context: PatchContext }) => PatchedResource = memoize(
  ([resource, writer, ...patches]: Held, { context }: { readonly context: PatchContext }) =>
    patchedBy({
      resource,
      patches,
      context,
      writer,
      ...decoded(ListenerSchema, resource, writer),
      patch: (listener, run) => patchListener(listener, context, run),
      problems: (listener) => [...listenerProblems(listener), ...violationsIn(ListenerSchema, listener)],
    }),
);

interface RouteFacts {
  readonly context: PatchContext;
  readonly servicePorts: ReadonlyMap<number, readonly number[]>;
}

export const patchedRoutes: (held: Held, facts: RouteFacts) => PatchedResource = memoize(
  ([resource, writer, ...patches]: Held, { context, servicePorts }: RouteFacts) => {
    const identity = { name: resource.name, context, servicePorts };
    const isNamed = namedHosts(patches, identity);
    const routes = new EncodedRoutes(messageIn(resource), isNamed);
    return patchedBy({
      resource,
      patches,
      context,
      writer,
      open: () => routes.open(),
      encode: (message) => routes.encode(message, writer),
      patch: (message, run) => {
        patchRoutes(message, identity, run);
        return true;
      },
      problems: (message) => routes.problemsIn(message),
      untouched: routes.closed,
    });
  },
);

interface Patching<M extends Message> {
  readonly resource: Resource;
  readonly patches: readonly EnvoyPatch[];
  readonly context: PatchContext;
  readonly writer: ProtoWriter;
  /** The message without any patch, which the next application of patches may change. */
  readonly open: () => M;
  /** Changes the message. Returns false if a patch removes it. */
  readonly patch: (message: M, run: PatchRun) => boolean;
  /** Reasons why Envoy would refuse the message. */
  readonly problems: (message: M) => readonly PatchProblem[];
  /** The Any of the message. */
  readonly encode: (message: M) => Uint8Array;
  /** Messages inside that no patch can change. */
  readonly untouched?: ReadonlyMap<object, unknown>;
  readonly warmedBy?: (message: M) => string | undefined;
}

function patchedBy<M extends Message>(patching: Patching<M>): PatchedResource {
  const { resource, open, writer } = patching;
  let before: ReadonlySet<string> | undefined;
  const { result, run, applied, problems } = settlePatches(patching.patches, (patches) => {
    const message = open();
    const run = new PatchRun(patches, patching.context, writer);
    const stays = patching.patch(message, run);
    const found = stays ? [...renamed(resource, message), ...patching.problems(message)] : [];
    // A message that Envoy accepts although it breaks a rule here must not count against a patch.
    if (found.length > 0) before ??= new Set(patching.problems(open()).map(({ reason }) => reason));
    const violations = found.filter(({ reason }) => before?.has(reason) !== true);
    return { result: stays ? message : undefined, run, violations };
  });
  const parts =
    result === undefined
      ? new Map<EnvoyPatch, readonly PatchedPart[]>()
      : run.trace.partsIn(result, patching.untouched);
  if (applied.length === 0) return { resource, applied, problems, parts };
  if (result === undefined) return { resource: undefined, applied, problems, parts };
  const warmedBy = patching.warmedBy?.(result);
  const patched = makeResource({
    name: resource.name,
    any: patching.encode(result),
    owners: [...resource.owners, ...applied.map(({ owner }) => owner)],
    partOwners: resource.partOwners,
    hostOwners: resource.hostOwners,
    ...(warmedBy === undefined ? {} : { warmedBy }),
  });
  return { resource: patched, applied, problems, parts };
}

/** A resource whose message is decoded whole. */
function decoded<Desc extends DescMessage>(schema: Desc, resource: Resource, writer: ProtoWriter) {
  const bytes = messageIn(resource);
  return {
    open: () => fromBinary(schema, bytes),
    encode: (message: MessageShape<Desc>) => writer.any<DescMessage>(schema, message),
  };
}

function messageIn({ entry }: Resource): Uint8Array {
  return fromBinary(AnySchema, anyIn(entry)).value;
}

/** Listeners and routes refer to generated resources by name. */
function renamed({ name }: Resource, message: object): readonly PatchProblem[] {
  if (!("name" in message) || message.name === name) return [];
  return [{ path: "name", reason: `a patch cannot rename ${name}` }];
}

/** The assignment that Envoy waits for; undefined for a cluster without EDS. */
export function endpointsOf({ name, clusterDiscoveryType: type, edsClusterConfig }: Cluster): string | undefined {
  if (type.case !== "type" || type.value !== Cluster_DiscoveryType.EDS) return undefined;
  if (edsClusterConfig?.edsConfig?.configSourceSpecifier.case !== "ads") return undefined;
  return edsClusterConfig.serviceName === "" ? name : edsClusterConfig.serviceName;
}
