import type { Viewer } from "../../../admin/viewer.ts";
import { configId } from "../../../config/config.ts";
import { kindByCollection } from "../../../config/kinds.ts";
import type { FleetAt, ProxyAt } from "../../../history/fleet-at.ts";
import type { History, MeshAt } from "../../../history/history.ts";
import { isSealed } from "../../../history/logged-object.ts";
import type { LoggedChange, Moment, StateEntry } from "../../../history/moment.ts";
import { changesBetweenStates } from "../../../history/state-changes.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee, problem } from "../endpoint.ts";
import { jsonDiff } from "../json-diff.ts";
import type { ChangedObject } from "../model/changes.ts";
import type {
  HistoryDiff,
  HistoryListing,
  HistoryMoment,
  HistoryObjectDiff,
  HistoryProxies,
  HistoryProxy,
} from "../model/history.ts";
import type { Shortened } from "../model/listing.ts";

const shownObjects = 10;
const shownDiffs = 100;
const shownProxies = 500;
const defaultMoments = 50;
const maxMoments = 200;

/** Moments with objects that the viewer may see. An operator also sees when the server started. */
export async function listMoments(state: DeskState, { viewer, query }: ApiRequest): Promise<ApiAnswer> {
  if (state.history === undefined) return found({ kept: false, items: [] } satisfies HistoryListing);
  const before = numberIn(query, "before") ?? Number.POSITIVE_INFINITY;
  const limit = Math.min(numberIn(query, "limit") ?? defaultMoments, maxMoments);
  const items: HistoryMoment[] = [];
  let next: number | undefined;
  for await (const moment of (await state.history.open()).moments()) {
    if (moment.number >= before) continue;
    const changes = moment.changes.filter((change) => maySee(viewer, namespaceIn(change)));
    if (changes.length === 0 && viewer.type !== "system") continue;
    if (items.length === limit) {
      next = items.at(-1)?.number;
      break;
    }
    items.push(momentOf(moment, changes));
  }
  const directory = viewer.type === "system" ? { directory: state.history.directory } : {};
  return found({ kept: true, ...directory, items, ...(next !== undefined && { next }) } satisfies HistoryListing);
}

export async function diffMoments(state: DeskState, { viewer, query }: ApiRequest): Promise<ApiAnswer> {
  const pair = await momentsIn(state, query);
  if ("status" in pair) return pair;
  const { from, to } = pair;
  const changes = changesBetweenStates(from.entries, to.entries).filter((each) => maySee(viewer, namespaceIn(each)));
  const objects = shortened(changes, shownDiffs, (change) => objectDiff(change, from, to));
  return found({ objects } satisfies HistoryDiff);
}

export async function listProxiesAt(state: DeskState, { viewer, query }: ApiRequest): Promise<ApiAnswer> {
  if (state.history === undefined) return notKept();
  const number = numberIn(query, "at");
  if (number === undefined) return problem(400, "missing parameter: add ?at=MOMENT");
  const fleet = await (await state.history.open()).fleetAt({ type: "moment", number });
  if (fleet === undefined) return notThere(number);
  const visible = visibleProxies(fleet, viewer).toSorted((a, b) => countOf(b) - countOf(a));
  return found({
    pushed: fleet.moment,
    proxies: shortened(visible, shownProxies, proxyOf),
  } satisfies HistoryProxies);
}

/** Two moments, and the log that has them. */
export interface MomentPair {
  readonly history: History;
  readonly from: MeshAt;
  readonly to: MeshAt;
}

export async function momentsIn(state: DeskState, query: URLSearchParams): Promise<MomentPair | ApiAnswer> {
  const [first, second] = [numberIn(query, "from"), numberIn(query, "to")];
  if (first === undefined || second === undefined) {
    return problem(400, "expected the numbers of two moments: ?from=MOMENT&to=MOMENT");
  }
  if (state.history === undefined) return notKept();
  const history = await state.history.open();
  const from = await history.at({ type: "moment", number: first });
  if (from === undefined) return notThere(first);
  const to = await history.at({ type: "moment", number: second });
  return to === undefined ? notThere(second) : { history, from, to };
}

export function visibleProxies({ proxies }: FleetAt, viewer: Viewer): readonly ProxyAt[] {
  return [...proxies.values()].filter(
    ({ facts: { namespace } }) => typeof namespace === "string" && maySee(viewer, namespace),
  );
}

export function shortened<T, Shown>(items: readonly T[], most: number, show: (item: T) => Shown): Shortened<Shown> {
  return { items: items.slice(0, most).map(show), total: items.length };
}

function notKept(): ApiAnswer {
  return problem(404, "the server keeps no history: start it with --history DIR");
}

function notThere(number: number): ApiAnswer {
  return problem(404, `the history has no moment ${number}`);
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  return /^\d{1,15}$/u.test(text) ? Number(text) : undefined;
}

function momentOf({ number, at, cause }: Moment, changes: readonly LoggedChange[]): HistoryMoment {
  return { number, at: new Date(at).toISOString(), cause, objects: shortened(changes, shownObjects, linkOf) };
}

/** Empty for an object of the whole cluster. */
function namespaceIn({ key }: Pick<StateEntry, "key">): string {
  return key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
}

function linkOf(change: LoggedChange): ChangedObject {
  const { collection, key, before, object, source, reference } = change;
  const kind = kindByCollection(collection)?.kind ?? "Service";
  const namespace = namespaceIn(change);
  const name = key.slice(key.indexOf("/") + 1);
  const operation = before === undefined ? "added" : object === undefined ? "removed" : "updated";
  return { id: configId(kind, namespace, name), kind, namespace, name, source, reference, operation };
}

function objectDiff(change: LoggedChange, from: MeshAt, to: MeshAt): HistoryObjectDiff {
  const differences = jsonDiff(contentOf(from, change.before), contentOf(to, change.object));
  return { object: linkOf(change), differences: shortened(differences, shownDiffs, (each) => each) };
}

/** Nothing of an object whose content is not in the log. */
function contentOf(mesh: MeshAt, id: string | undefined): object {
  const object = id === undefined ? undefined : mesh.objectOf({ object: id });
  if (object === undefined || isSealed(object)) return {};
  const { labels, annotations, spec } = object;
  return { metadata: { labels, annotations }, spec };
}

function countOf({ lags }: ProxyAt): number {
  return Object.keys(lags).length;
}

function proxyOf({ nodeId, lags }: ProxyAt): HistoryProxy {
  const behind = Object.entries(lags).map(([type, [accepted, why]]) => ({ type, accepted, why }));
  return { node: nodeId, name: nodeId.split("~")[2] ?? nodeId, behind };
}
