import type { ConfigId } from "../../../../config/config.ts";
import { keyOf, kindNameOf } from "../../../model/config-id.ts";
import type { EnvoyPatch } from "../../../model/policy/envoy-patch.ts";
import { type PatchRef, patchesOf, patchRefsFor } from "../../../model/policy/patches-for.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { PushContext, Since } from "../../../model/push-context.ts";
import type { Resource } from "../../../model/resource.ts";
import type { AddedResource } from "../../../networking/patch/added-resource.ts";
import type { PatchedResource } from "../../../networking/patch/patched-resource.ts";
import type { Generated, GeneratorRun, PartFamily, PartInputs, PatchEffect } from "../../generator.ts";

/** Inputs of a family with patches. Without patches they are those of the family, so the parts are shared as before. */
export type PatchedInputs<Inputs extends PartInputs> = Inputs & { readonly patches?: readonly PatchRef[] };

/** How EnvoyFilters change the resources of a family. */
export interface Patching<Inputs extends PartInputs> {
  /** The patches that may change a part of this proxy. All others have no influence on what proxies share. */
  wants(patch: EnvoyPatch, proxy: Proxy): boolean;
  /** Prepares the patches of one run. */
  prepare(inputs: Inputs, patches: readonly EnvoyPatch[], push: PushContext): PatchedRun;
}

/** The patches of one run of a family. */
export interface PatchedRun {
  /** Undefined if no patch can match the resource, which is decided without decoding it. */
  patch(resource: Resource): PatchedResource | undefined;
  /** The resources that patches add. */
  readonly added: readonly { readonly patch: EnvoyPatch; readonly added: AddedResource }[];
  /** The reason why a name must not be added; undefined for a free name. */
  reserved(name: string): string | undefined;
}

/** For families whose resources patches only change. */
export const nothingAdded: Pick<PatchedRun, "added" | "reserved"> = { added: [], reserved: () => undefined };

export function isAddition({ operation }: EnvoyPatch): boolean {
  return operation === "ADD";
}

/** Whether a patch adds its resource to proxies of this type. For a sidecar, the outbound side gets all of them. */
export function isAddedTo({ context }: EnvoyPatch, type: Proxy["type"]): boolean {
  if (context === "ANY") return true;
  return type === "router" ? context === "GATEWAY" : context === "SIDECAR_INBOUND" || context === "SIDECAR_OUTBOUND";
}

/** The family with EnvoyFilters applied to what it generates. */
export function patched<Inputs extends PartInputs>(
  family: PartFamily<Inputs>,
  patching: Patching<Inputs>,
): PartFamily<PatchedInputs<Inputs>> {
  function generate(run: GeneratorRun<PatchedInputs<Inputs>>): Generated {
    const { inputs, push } = run;
    const refs = inputs.patches;
    const since = run.since && sinceFor(run.since, refs ?? []);
    const plain = since === undefined ? { inputs, push } : { inputs, push, since };
    if (refs === undefined) return family.generate(plain);
    return applied(family.generate(plain), patching.prepare(inputs, patchesOf(refs, push), push)).generated;
  }

  return {
    ...family,
    parts(proxy, push, asked) {
      const patches = patchRefsFor(proxy, push, (patch) => patching.wants(patch, proxy));
      const parts = family.parts(proxy, push, asked);
      return patches.length === 0 ? parts : parts.map((inputs) => ({ ...inputs, patches }));
    },
    concerns: (kind) => kind === "EnvoyFilter" || family.concerns(kind),
    dependencies(inputs, push) {
      const before = family.dependencies(inputs, push);
      const filters = new Set(inputs.patches?.map(({ filter }) => filter));
      return (changed) => (isFilter(changed) ? filters.has(keyOf(changed)) : before(changed));
    },
    generate,
    patches(inputs, push) {
      if (inputs.patches === undefined) return [];
      const run = patching.prepare(inputs, patchesOf(inputs.patches, push), push);
      return applied(family.generate({ inputs, push }), run).effects;
    },
  };
}

function isFilter(id: ConfigId): boolean {
  return kindNameOf(id) === "EnvoyFilter";
}

/** Undefined if a filter of the part changed: then every resource may differ. The family never sees filters. */
function sinceFor({ push, changed }: Since, refs: readonly PatchRef[]): Since | undefined {
  const filters = new Set(refs.map(({ filter }) => filter));
  const others = new Set([...changed].filter((id) => !isFilter(id)));
  if (others.size === changed.size) return { push, changed };
  return [...changed].some((id) => isFilter(id) && filters.has(keyOf(id))) ? undefined : { push, changed: others };
}

function applied(
  { covers, resources }: Generated,
  run: PatchedRun,
): { readonly generated: Generated; readonly effects: readonly PatchEffect[] } {
  const effects: PatchEffect[] = [];
  const kept = new Map<string, Resource>();
  for (const resource of resources) {
    const result = run.patch(resource);
    const after = result === undefined ? resource : result.resource;
    if (after !== undefined) kept.set(resource.name, after);
    const { name } = resource;
    const removed = after === undefined;
    for (const patch of result?.applied ?? [])
      effects.push({ patch, resource: name, parts: result?.parts.get(patch) ?? [], removed });
    for (const [patch, problem] of result?.problems ?? [])
      effects.push({ patch, resource: name, problem, parts: [], removed });
  }
  for (const { patch, added } of run.added) {
    if (added.type === "invalid") {
      effects.push({ patch, resource: "", problem: added.problem, parts: [], removed: false });
      continue;
    }
    const { name } = added.resource;
    if (covers !== "all" && !covers.has(name)) continue;
    const taken = kept.has(name) ? `${name} exists already` : run.reserved(name);
    if (taken === undefined) kept.set(name, added.resource);
    effects.push({
      patch,
      resource: name,
      ...(taken === undefined
        ? { parts: [{ path: "", made: true }] }
        : { parts: [], problem: { path: "name", reason: taken } }),
      removed: false,
    });
  }
  return { generated: { covers, resources: [...kept.values()] }, effects };
}
