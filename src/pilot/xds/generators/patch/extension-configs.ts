import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { type PatchRef, patchesOf, patchRefsFor } from "../../../model/policy/patches-for.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Resource } from "../../../model/resource.ts";
import { addedExtension } from "../../../networking/patch/added-resource.ts";
import type { PatchEffect } from "../../generator.ts";

/** The patches that add extension configurations for a proxy. As in istiod, their context does not count. */
export function extensionRefsFor(proxy: Proxy, push: PushContext): readonly PatchRef[] {
  return patchRefsFor(proxy, push, ({ target, operation }) => target === "EXTENSION_CONFIG" && operation === "ADD");
}

/** The extension configurations of these patches, for ECDS. If several have a name, the first one counts. */
export function extensionConfigsOf(
  refs: readonly PatchRef[],
  push: PushContext,
  writer: ProtoWriter,
): readonly Resource[] {
  return [...addedExtensions(refs, push, writer).byName.values()];
}

/** The effects of the patches, for reports. */
export function extensionEffectsOf(
  refs: readonly PatchRef[],
  push: PushContext,
  writer: ProtoWriter,
): readonly PatchEffect[] {
  return addedExtensions(refs, push, writer).effects;
}

function addedExtensions(refs: readonly PatchRef[], push: PushContext, writer: ProtoWriter) {
  const byName = new Map<string, Resource>();
  const effects: PatchEffect[] = [];
  for (const patch of patchesOf(refs, push)) {
    const added = addedExtension([patch, writer]);
    if (added.type === "invalid") {
      effects.push({ patch, resource: "", problem: added.problem });
      continue;
    }
    const { resource } = added;
    const isTaken = byName.has(resource.name);
    if (!isTaken) byName.set(resource.name, resource);
    const problem = { path: "name", reason: `${resource.name} exists already` };
    effects.push({ patch, resource: resource.name, ...(isTaken && { problem }) });
  }
  return { byName, effects };
}
