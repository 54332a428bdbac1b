import { compareTexts } from "../../../lib/compare.ts";
import type { DeskHistory, ResourceAt } from "../desk-history.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, problem } from "../endpoint.ts";
import { jsonDiff } from "../json-diff.ts";
import type { HistoryProxyDiff, HistoryResourceDiff } from "../model/history.ts";
import { type MomentPair, momentsIn, shortened, visibleProxies } from "./history.ts";

const shownDiffs = 100;
/** Making the resources of a larger mesh again would hold up its proxies. */
const maxObjects = 2_000;

/** The resources of a proxy at two moments. The server answers one such question at a time, and none under load. */
export async function diffProxyMoments(state: DeskState, request: ApiRequest): Promise<ApiAnswer> {
  const pair = await momentsIn(state, request.query);
  if ("status" in pair) return pair;
  const { from, to } = pair;
  if (Math.max(from.entries.size, to.entries.size) > maxObjects) {
    const command = `binnacle history at ${from.moment.number} diff NODE --to ${to.moment.number}`;
    return problem(
      413,
      `the mesh has more than ${maxObjects} objects, which is too much to compare here: use ${command}`,
    );
  }
  const gate = state.whatIf.enter();
  if (gate.type === "refused") return problem(gate.status, gate.reason);
  try {
    return await diffFor(state, request, pair);
  } finally {
    gate.leave();
  }
}

async function diffFor({ history: kept }: DeskState, { viewer, values }: ApiRequest, pair: MomentPair) {
  const [node = ""] = values;
  const { history, from, to } = pair;
  const position = { type: "moment", number: to.moment.number } as const;
  const fleet = await history.fleetAt(position);
  const proxy = fleet && visibleProxies(fleet, viewer).find(({ nodeId }) => nodeId === node);
  if (proxy === undefined || kept === undefined) {
    return problem(404, `${node} was not connected at moment ${position.number}`);
  }
  const before = byName(await kept.resourcesAt(from, proxy));
  const after = byName(await kept.resourcesAt(to, proxy));
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name)?.version !== after.get(name)?.version)
    .toSorted(compareTexts);
  const resources = shortened(changed, shownDiffs, (name) => resourceDiff(before.get(name), after.get(name)));
  return found({ node, resources } satisfies HistoryProxyDiff);
}

function byName(resources: Awaited<ReturnType<DeskHistory["resourcesAt"]>>): ReadonlyMap<string, ResourceAt> {
  return new Map(resources.map((each) => [`${each.type} ${each.name}`, each]));
}

function resourceDiff(before: ResourceAt | undefined, after: ResourceAt | undefined): HistoryResourceDiff {
  const { type = "", name = "" } = after ?? before ?? {};
  const operation = before === undefined ? "added" : after === undefined ? "removed" : "updated";
  const differences = operation === "updated" ? jsonDiff(before?.message(), after?.message()) : [];
  return { type, name, operation, differences: shortened(differences, shownDiffs, (each) => each) };
}
