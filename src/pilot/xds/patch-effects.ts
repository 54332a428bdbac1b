import type { ConfigId } from "../../config/config.ts";
import { memoize } from "../../lib/memo.ts";
import type { EnvoyPatch } from "../model/policy/envoy-patch.ts";
import { filtersFor, matchesProxy } from "../model/policy/patches-for.ts";
import { isProxyless, type Proxy } from "../model/proxy/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import type { PatchProblem } from "../networking/patch/patch-run.ts";
import { patchValueOf } from "../networking/patch/patch-value.ts";
import type { Generator, PartFamily, PartInputs, PatchEffect } from "./generator.ts";

/** The effect of a patch, and the short name of the resource's type. */
export interface TypedEffect extends PatchEffect {
  readonly type: string;
}

/** The effects of EnvoyFilters on the resources of one proxy. Proxies that share parts share the work. */
export function patchEffectsFor(
  proxy: Proxy,
  generators: readonly Generator[],
  push: PushContext,
): readonly TypedEffect[] {
  if (filtersFor(proxy, push).length === 0) return [];
  return generators.flatMap(({ shortName, families }) =>
    families
      .filter((family) => family.patches !== undefined)
      .flatMap((family) => family.parts(proxy, push, "all").flatMap((inputs) => effectsOf([push, family], inputs)))
      .map((effect) => ({ ...effect, type: shortName })),
  );
}

const effectsOf = memoize(
  ([push, family]: readonly [PushContext, PartFamily], inputs: PartInputs): readonly PatchEffect[] =>
    family.patches?.(inputs, push) ?? [],
);

/** The result of a patch for some proxies. A patch that is invalid anywhere is `invalid`. */
type PatchStatus = "matched" | "not matched" | "invalid";

/** One patch, and what became of it at the proxies that it is for. */
export interface PatchReport {
  readonly owner: ConfigId;
  /** The position in `configPatches`. */
  readonly index: number;
  readonly applyTo: EnvoyPatch["target"];
  readonly operation: EnvoyPatch["operation"];
  readonly status: PatchStatus;
  /** How many proxies have the patch with each result. */
  readonly proxies: Readonly<Record<PatchStatus, number>>;
  /** Some resources that it changed, such as `CDS limiter`. */
  readonly resources: readonly string[];
  readonly problems: readonly (PatchProblem & { readonly resource: string })[];
  /** Fields of its value without effect, each with its reason. */
  readonly remarks: readonly string[];
}

/** Patches of filters that no connected proxy has are reported as not matched. */
export function patchReports(
  proxies: Iterable<Proxy>,
  generators: readonly Generator[],
  push: PushContext,
): readonly PatchReport[] {
  const found = new Map<EnvoyPatch, Found>();
  for (const { patches } of push.envoyFilters.values()) for (const patch of patches) found.set(patch, new Found());
  for (const proxy of proxies) {
    if (isProxyless(proxy)) continue;
    const effects = Map.groupBy(patchEffectsFor(proxy, generators, push), ({ patch }) => patch);
    for (const { patches } of filtersFor(proxy, push))
      for (const patch of patches.filter((each) => isFor(each, proxy))) found.get(patch)?.add(effects.get(patch) ?? []);
  }
  return Array.from(found, ([patch, each]) => each.reportOf(patch));
}

function isFor({ context, proxy: match }: EnvoyPatch, proxy: Proxy): boolean {
  const isHere = context === "ANY" || (context === "GATEWAY") === (proxy.type === "router");
  return isHere && context !== "WAYPOINT" && matchesProxy(match, proxy);
}

const ofBootstrap = "`binnacle bootstrap` applies it: a running Envoy takes no bootstrap from a server";

/** More would make the page of a large mesh unreadable. */
const maxListed = 20;

/** The effects of one patch at all proxies. */
class Found {
  readonly #proxies: Record<PatchStatus, number> = { matched: 0, "not matched": 0, invalid: 0 };
  readonly #resources = new Set<string>();
  readonly #problems = new Map<string, PatchProblem & { readonly resource: string }>();

  add(effects: readonly TypedEffect[]): void {
    const isInvalid = effects.some(({ problem }) => problem !== undefined);
    this.#proxies[isInvalid ? "invalid" : effects.length > 0 ? "matched" : "not matched"] += 1;
    for (const { type, resource, problem } of effects) {
      const name = `${type} ${resource}`.trimEnd();
      if (problem === undefined) this.#resources.add(name);
      else this.#problems.set(`${name} ${problem.path}`, { resource: name, ...problem });
    }
  }

  reportOf(patch: EnvoyPatch): PatchReport {
    const value = patchValueOf(patch);
    const unreadable = value.type === "invalid" ? [{ resource: "", path: value.path, reason: value.reason }] : [];
    const problems = unreadable.length > 0 ? unreadable : [...this.#problems.values()];
    const status = this.#resources.size > 0 ? "matched" : "not matched";
    return {
      owner: patch.owner,
      index: patch.index,
      applyTo: patch.target,
      operation: patch.operation,
      status: problems.length > 0 ? "invalid" : status,
      proxies: this.#proxies,
      resources: [...this.#resources].toSorted().slice(0, maxListed),
      problems: problems.slice(0, maxListed),
      remarks: [
        ...(patch.target === "BOOTSTRAP" ? [ofBootstrap] : []),
        ...(value.type === "message" ? value.remarks : []),
      ],
    };
  }
}
