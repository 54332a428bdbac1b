import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { type Cluster, Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { anyIn } from "../../../xds/wire/entry.ts";
import type { EnvoyPatch, PatchContext } from "../../model/policy/envoy-patch.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";
import { clusterProblems, listenerProblems, routeProblems } from "./check/structure.ts";
import { violationsIn } from "./check/violations.ts";
import { clusterIdentity } from "./match/match-cluster.ts";
import { patchCluster } from "./patch-cluster.ts";
import { patchListener } from "./patch-listener.ts";
import { patchRoutes } from "./patch-routes.ts";
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
      schema: ClusterSchema,
      patch: (cluster, run) => patchCluster(cluster, clusterIdentity(resource.name, served), run),
      problems: clusterProblems,
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
      schema: ListenerSchema,
      patch: (listener, run) => patchListener(listener, context, run),
      problems: listenerProblems,
    }),
);

interface RouteFacts {
  readonly context: PatchContext;
  readonly servicePorts: ReadonlyMap<number, readonly number[]>;
}

export const patchedRoutes: (held: Held, facts: RouteFacts) => PatchedResource = memoize(
  ([resource, writer, ...patches]: Held, { context, servicePorts }: RouteFacts) =>
    patchedBy({
      resource,
      patches,
      context,
      writer,
      schema: RouteConfigurationSchema,
      patch: (routes, run) => {
        patchRoutes(routes, { name: resource.name, context, servicePorts }, run);
        return true;
      },
      problems: routeProblems,
    }),
);

interface Patching<Desc extends DescMessage> {
  readonly resource: Resource;
  readonly patches: readonly EnvoyPatch[];
  readonly context: PatchContext;
  readonly writer: ProtoWriter;
  readonly schema: Desc;
  /** Changes the message. Returns false if a patch removes it. */
  readonly patch: (message: MessageShape<Desc>, run: PatchRun) => boolean;
  readonly problems: (message: MessageShape<Desc>) => readonly PatchProblem[];
  readonly warmedBy?: (message: MessageShape<Desc>) => string | undefined;
}

function patchedBy<Desc extends DescMessage>(patching: Patching<Desc>): PatchedResource {
  const { resource, schema, writer } = patching;
  const bytes = fromBinary(AnySchema, anyIn(resource.entry)).value;
  let before: ReadonlySet<string> | undefined;
  const { result, run, applied, problems } = settlePatches(patching.patches, (patches) => {
    const message = fromBinary(schema, bytes);
    const run = new PatchRun(patches, patching.context, writer);
    const stays = patching.patch(message, run);
    const found = stays ? [...renamed(resource, message), ...problemsOf(message, patching)] : [];
    // A message that Envoy accepts although it breaks a rule here must not count against a patch.
    if (found.length > 0)
      before ??= new Set(problemsOf(fromBinary(schema, bytes), patching).map(({ reason }) => reason));
    const violations = found.filter(({ reason }) => before?.has(reason) !== true);
    return { result: stays ? message : undefined, run, violations };
  });
  const parts = result === undefined ? new Map<EnvoyPatch, readonly PatchedPart[]>() : run.trace.partsIn(result);
  if (applied.length === 0) return { resource, applied, problems, parts };
  if (result === undefined) return { resource: undefined, applied, problems, parts };
  const warmedBy = patching.warmedBy?.(result);
  const desc: DescMessage = schema;
  const patched = makeResource({
    name: resource.name,
    any: writer.any(desc, result),
    owners: [...resource.owners, ...applied.map(({ owner }) => owner)],
    partOwners: resource.partOwners,
    hostOwners: resource.hostOwners,
    ...(warmedBy === undefined ? {} : { warmedBy }),
  });
  return { resource: patched, applied, problems, parts };
}

function problemsOf<Desc extends DescMessage>(
  message: MessageShape<Desc>,
  { schema, problems }: Patching<Desc>,
): readonly PatchProblem[] {
  return [...problems(message), ...violationsIn(schema, message)];
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
