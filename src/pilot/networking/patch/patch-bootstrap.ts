import { fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { BootstrapSchema } from "#gen/envoy/config/bootstrap/v3/bootstrap_pb.js";
import type { EnvoyPatch } from "../../model/policy/envoy-patch.ts";
import { patchesOf, patchRefsFor } from "../../model/policy/patches-for.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import { envoyRegistry } from "./envoy-registry.ts";
import { mergeMessage } from "./merge-message.ts";
import { patchValueOf } from "./patch-value.ts";

/** The patches of EnvoyFilters for the bootstrap of a proxy, in the order of application. */
export function bootstrapPatchesFor(proxy: Proxy, push: PushContext): readonly EnvoyPatch[] {
  return patchesOf(patchRefsFor(proxy, push, isOfBootstrap), push);
}

/** A bootstrap is no resource of a context. Envoys merge into it, and cannot replace or remove parts of it. */
function isOfBootstrap({ target, operation, context }: EnvoyPatch): boolean {
  return target === "BOOTSTRAP" && operation === "MERGE" && context !== "WAYPOINT";
}

/** Merges the values of the patches into a bootstrap. Patches with an unreadable value are left out. */
export function patchBootstrap(bootstrap: object, patches: readonly EnvoyPatch[]): object {
  if (patches.length === 0) return bootstrap;
  const registry = envoyRegistry();
  // A bootstrap is plain data, as a JSON file has it.
  const message = fromJson(BootstrapSchema, bootstrap as JsonObject, { registry });
  for (const patch of patches) {
    const value = patchValueOf(patch);
    if (value.type === "message") mergeMessage(value.desc, message, value.message);
  }
  return toJson(BootstrapSchema, message, { registry, useProtoFieldName: true }) as JsonObject;
}
