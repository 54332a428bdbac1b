import { namespaceOf } from "../../pilot/model/config-id.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PatchReport } from "../../pilot/xds/patch-effects.ts";
import { json, type PageAnswer, type Route, text } from "../route.ts";
import type { PilotState } from "../state.ts";
import { objectWithReference } from "./object-reference.ts";

export interface EnvoyFilterState extends Pick<PilotState, "originOf"> {
  readonly proxies: () => Iterable<Proxy>;
  readonly reports: (proxies: Iterable<Proxy>) => readonly PatchReport[];
}

export function envoyFiltersPage(state: EnvoyFilterState): Route {
  return {
    path: "/debug/envoyfilters",
    doc: "patches of EnvoyFilters: matched, not matched or invalid, with resources and reasons; ?proxyID=NODE for one proxy",
    answer: (query) => answerFrom([...state.proxies()], query, state, () => true),
    answerWithin: (namespace, query) =>
      answerFrom(
        [...state.proxies()].filter((proxy) => proxy.namespace === namespace),
        query,
        state,
        ({ owner }) => namespaceOf(owner) === namespace,
      ),
  };
}

function answerFrom(
  proxies: readonly Proxy[],
  query: URLSearchParams,
  state: EnvoyFilterState,
  isVisible: (report: PatchReport) => boolean,
): PageAnswer {
  const wanted = query.get("proxyID") ?? "";
  const meant = wanted === "" ? proxies : proxies.filter(({ nodeId, id }) => nodeId === wanted || id === wanted);
  if (wanted !== "" && meant.length === 0) return text(`${wanted} is not connected to this server`, 404);
  const reports = state.reports(meant).filter(isVisible);
  return json({
    proxies: meant.length,
    patches: reports.map(({ owner, index, proxies: counts, ...report }) => ({
      ...objectWithReference(owner, state),
      patch: `configPatches[${index}]`,
      ...report,
      proxies: { matched: counts.matched, notMatched: counts["not matched"], invalid: counts.invalid },
    })),
  });
}
