import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { EnvoyPatch, PatchContext, PatchTarget } from "../../../model/policy/envoy-patch.ts";
import type { Resource } from "../../../model/resource.ts";
import { addedListener } from "../../../networking/patch/added-resource.ts";
import { matchesName } from "../../../networking/patch/match/match-listener.ts";
import { appliesIn } from "../../../networking/patch/patch-run.ts";
import { type PatchedResource, patchedListener } from "../../../networking/patch/patched-resource.ts";
import type { PartInputs } from "../../generator.ts";
import { isAddedTo, isAddition, nothingAdded, type Patching } from "./patched.ts";
import { routeTargets } from "./route-patching.ts";

const listenerTargets: ReadonlySet<PatchTarget> = new Set<PatchTarget>([
  "LISTENER",
  "LISTENER_FILTER",
  "FILTER_CHAIN",
  "NETWORK_FILTER",
  "HTTP_FILTER",
]);

/** Listeners of routers, or outbound ones of sidecars. They include all listeners that patches add. */
export function listenerPatching(
  context: Exclude<PatchContext, "SIDECAR_INBOUND">,
  writer: ProtoWriter,
): Patching<PartInputs> {
  return {
    wants(patch, { type }) {
      if (!listenerTargets.has(patch.target)) return false;
      return isAddedListener(patch) ? isAddedTo(patch, type) : appliesIn(patch, context);
    },
    prepare: (_inputs, patches) => ({
      patch: (resource) => patchOne(resource, { context, patches, writer }),
      added: patches.filter(isAddedListener).map((patch) => ({ patch, added: addedListener([patch, writer]) })),
      reserved: (name) => (name === "virtualInbound" ? "is a generated listener" : undefined),
    }),
  };
}

/** Inbound listeners of sidecars, which contain their routes. */
export function inboundListenerPatching(writer: ProtoWriter): Patching<PartInputs> {
  return {
    wants(patch) {
      const isTarget = listenerTargets.has(patch.target) || routeTargets.has(patch.target);
      return isTarget && !isAddedListener(patch) && appliesIn(patch, "SIDECAR_INBOUND");
    },
    prepare: (_inputs, patches) => ({
      ...nothingAdded,
      patch: (resource) => patchOne(resource, { context: "SIDECAR_INBOUND", patches, writer }),
    }),
  };
}

function isAddedListener(patch: EnvoyPatch): boolean {
  return patch.target === "LISTENER" && isAddition(patch);
}

interface ListenerRun {
  readonly context: PatchContext;
  readonly patches: readonly EnvoyPatch[];
  readonly writer: ProtoWriter;
}

function patchOne(resource: Resource, { context, patches, writer }: ListenerRun): PatchedResource | undefined {
  const matching = patches.filter(
    (patch) => !isAddedListener(patch) && appliesIn(patch, context) && mayMatch(patch, resource.name),
  );
  return matching.length === 0 ? undefined : patchedListener([resource, writer, ...matching], { context });
}

/** Most names end with the port. A port that the name does not tell may match. */
function mayMatch(patch: EnvoyPatch, name: string): boolean {
  const [, port] = /_(\d+)$/u.exec(name) ?? [];
  return matchesName(patch, name, () => (port === undefined ? patch.listener?.port : Number(port)));
}
