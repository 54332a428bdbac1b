import {
  EnvoyFilter_ApplyTo as ApplyTo,
  type EnvoyFilter_EnvoyConfigObjectPatch as ConfigPatch,
  type EnvoyFilter,
  EnvoyFilter_Patch_Operation as Operation,
} from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import type { Config } from "../../config.ts";
import { envoyFilter } from "../../kinds/envoy-filter.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { messages } from "../messages.ts";

export const envoyPatchAnalyzer: Analyzer = {
  name: "envoyfilter.EnvoyPatchAnalyzer",
  description: "Patches that do nothing, or whose effect depends on the order of filters",
  inputs: [envoyFilter],
  analyze(context) {
    const versioned = new Set<string>();
    for (const config of context.all(envoyFilter)) {
      for (const [index, patch] of config.spec.configPatches.entries()) {
        if (patch.patch === undefined) continue;
        checkPatch(patch, { config, path: `spec.configPatches[${index}]`, versioned, context });
        if ((patch.match?.proxy?.proxyVersion ?? "") !== "") versioned.add(filterOf(patch));
      }
    }
  },
};

interface Placed {
  readonly config: Config<EnvoyFilter>;
  readonly path: string;
  /** The filters that earlier patches change only for certain proxies. */
  readonly versioned: ReadonlySet<string>;
  readonly context: AnalysisContext;
}

function checkPatch(patch: ConfigPatch, placed: Placed): void {
  const { context, config, path } = placed;
  const operation = patch.patch?.operation ?? Operation.INVALID;
  const about = { config, path: `${path}.patch.operation` };
  const target = ApplyTo[patch.applyTo];
  const isRoute = patch.applyTo === ApplyTo.ROUTE_CONFIGURATION || patch.applyTo === ApplyTo.HTTP_ROUTE;
  if (operation === Operation.ADD && isRoute) context.report(messages.addIncorrectly, about, { target });
  else if (operation === Operation.REMOVE && isRoute) context.report(messages.removeIncorrectly, about, { target });
  else if (operation === Operation.REPLACE && !replaceable.has(patch.applyTo))
    context.report(messages.replaceIncorrectly, about, { target });
  else if (relative.has(operation)) checkOrder(patch, placed);
}

/** The targets that support REPLACE. */
const replaceable = new Set([ApplyTo.NETWORK_FILTER, ApplyTo.HTTP_FILTER, ApplyTo.VIRTUAL_HOST]);

/** Operations that depend on a target which other patches may have moved or removed. */
const relative = new Set([Operation.REMOVE, Operation.REPLACE, Operation.INSERT_BEFORE, Operation.INSERT_AFTER]);

function checkOrder(patch: ConfigPatch, { config, path, versioned, context }: Placed): void {
  if (config.spec.priority !== 0) return;
  const type = versioned.has(filterOf(patch)) ? messages.relativeWithProxyVersion : messages.relativeOperation;
  const operation = Operation[patch.patch?.operation ?? Operation.INVALID];
  context.report(type, { config, path: `${path}.patch.operation` }, { operation });
}

/** The filter of a patch: the one it adds, or else the one it matches. */
function filterOf({ patch, match }: ConfigPatch): string {
  const own = patch?.value?.["name"];
  if (typeof own === "string") return own;
  return match?.objectTypes.case === "listener" ? (match.objectTypes.value.filterChain?.filter?.name ?? "") : "";
}
