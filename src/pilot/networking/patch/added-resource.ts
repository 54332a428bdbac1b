import type { DescMessage, Message, MessageShape } from "@bufbuild/protobuf";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { TypedExtensionConfigSchema } from "#gen/envoy/config/core/v3/extension_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { EnvoyPatch } from "../../model/policy/envoy-patch.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";
import { clusterProblems, listenerProblems } from "./check/structure.ts";
import { violationsIn } from "./check/violations.ts";
import type { PatchProblem } from "./patch-run.ts";
import { patchValueOf } from "./patch-value.ts";
import { endpointsOf } from "./patched-resource.ts";

/** A resource that a patch adds, or the reason why Envoy would refuse it. */
export type AddedResource =
  | { readonly type: "resource"; readonly resource: Resource }
  | { readonly type: "invalid"; readonly problem: PatchProblem };

type Held = readonly [EnvoyPatch, ProtoWriter];

export const addedCluster: (held: Held) => AddedResource = memoize(([patch, writer]: Held) =>
  addedBy(patch, { schema: ClusterSchema, problems: clusterProblems, warmedBy: endpointsOf }, writer),
);

export const addedListener: (held: Held) => AddedResource = memoize(([patch, writer]: Held) =>
  addedBy(patch, { schema: ListenerSchema, problems: listenerProblems }, writer),
);

export const addedExtension: (held: Held) => AddedResource = memoize(([patch, writer]: Held) =>
  addedBy(patch, { schema: TypedExtensionConfigSchema, problems: () => [] }, writer),
);

interface Addition<Desc extends DescMessage> {
  readonly schema: Desc;
  readonly problems: (message: MessageShape<Desc>) => readonly PatchProblem[];
  readonly warmedBy?: (message: MessageShape<Desc>) => string | undefined;
}

function addedBy<Desc extends DescMessage>(patch: EnvoyPatch, addition: Addition<Desc>, writer: ProtoWriter) {
  const value = patchValueOf(patch);
  if (value.type === "none") return invalid({ path: "", reason: "the patch has no value" });
  if (value.type === "invalid") return invalid(value);
  // The value was read as the message of the patch's target.
  const message = value.message as MessageShape<Desc>;
  const name = nameIn(message);
  if (name === "") return invalid({ path: "name", reason: "is required" });
  const [problem] = [...addition.problems(message), ...violationsIn(addition.schema, message)];
  if (problem !== undefined) return invalid(problem);
  const warmedBy = addition.warmedBy?.(message);
  const schema: DescMessage = addition.schema;
  const any = writer.any(schema, message);
  const resource = makeResource({ name, any, owners: [patch.owner], ...(warmedBy === undefined ? {} : { warmedBy }) });
  return { type: "resource", resource } as const;
}

function invalid({ path, reason }: PatchProblem): AddedResource {
  return { type: "invalid", problem: { path, reason } };
}

function nameIn(message: Message): string {
  return "name" in message && typeof message.name === "string" ? message.name : "";
}
