import type { Viewer } from "../../../admin/viewer.ts";
import { proxiesOf } from "../../../admin/pilot/find-proxy.ts";
import { quarantinedObjects } from "../../../admin/pilot/quarantine.ts";
import type { ConfigId } from "../../../config/config.ts";
import type { Proxy } from "../../../pilot/model/proxy/proxy.ts";
import { rejectionsAmong } from "../../../pilot/xds/status/rejections.ts";
import type { Connection } from "../../../xds/connection.ts";
import { commonOf } from "../../../xds/stream/push-set.ts";
import type { RecordedChange } from "../../journal/recorded-change.ts";
import type { RecordedPush } from "../../journal/recorded-push.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee, problem } from "../endpoint.ts";
import type {
  ChangeDetail,
  ChangeRejection,
  ChangeState,
  ChangeSummary,
  Delivery,
  ProxyBehind,
  PushRecord,
} from "../model/changes.ts";
import type { Shortened } from "../model/listing.ts";
import { linkTo, linkToChanged } from "../object-links.ts";
import { paginate } from "../paginate.ts";

const shownObjects = 10;
const shownChanges = 50;
const shownBehind = 100;

export function listChanges(state: DeskState, { viewer, query }: ApiRequest): ApiAnswer {
  const search = (query.get("search") ?? "").toLowerCase();
  const stateFilter = query.getAll("state");
  const matches = (change: RecordedChange) => search === "" || textOf(change, viewer).includes(search);
  const visible = state.journal.changes
    .filter((change) => isVisible(change, viewer) && matches(change))
    .filter(({ endpointsOnly }) => query.get("endpoints") !== "false" || !endpointsOnly)
    .filter((change) => stateFilter.length === 0 || stateFilter.includes(stateOf(change, viewer, state).type));
  const page = paginate(visible, query, { keyOf: ({ id }) => id, compare: newestFirst });
  return found({ ...page, items: page.items.map((change) => summaryOf(change, viewer, state)) });
}

export function oneChange(state: DeskState, { viewer, values: [id = ""] }: ApiRequest): ApiAnswer {
  const change = state.journal.find(id);
  if (change === undefined || !isVisible(change, viewer)) return problem(404, `the journal has no change ${id}`);
  const summary = summaryOf(change, viewer, state);
  const objects = visibleObjects(change, viewer);
  const { stage } = change;
  const detail: ChangeDetail = {
    ...summary,
    objects: { items: objects.map(linkToChanged), total: summary.objects.total },
    ...(stage.type === "pushed" && { push: pushRecord(stage.push, viewer, state) }),
    behind: stage.type === "pushed" ? behindOn(stage.push, viewer, state) : { items: [], total: 0 },
    rejections: stage.type === "pushed" ? rejectionsOf(stage.push, viewer, state) : { items: [], total: 0 },
  };
  return found(detail);
}

/** A workload sees a change if an object of its namespace is in it. */
export function isVisible(change: RecordedChange, viewer: Viewer): boolean {
  return viewer.type === "system" || change.countByNamespace.has(viewer.namespace);
}

export function summaryOf(change: RecordedChange, viewer: Viewer, state: DeskState): ChangeSummary {
  const { id, at, endpointsOnly, stage } = change;
  const objects = visibleObjects(change, viewer).slice(0, shownObjects);
  const total = viewer.type === "system" ? change.total : (change.countByNamespace.get(viewer.namespace) ?? 0);
  return {
    id,
    at: state.timeOf(at).toISOString(),
    objects: { items: objects.map(linkToChanged), total },
    endpointsOnly,
    state: stateOf(change, viewer, state),
    ...(viewer.type === "system" && stage.type === "pushed" && { delivery: deliveryOf(change, stage.push) }),
  };
}

function visibleObjects({ objects }: RecordedChange, viewer: Viewer) {
  return objects.filter(({ namespace }) => maySee(viewer, namespace));
}

/** For a workload only its own proxies count. The reason of a failure may name anything. */
function stateOf({ stage }: RecordedChange, viewer: Viewer, state: DeskState): ChangeState {
  if (stage.type === "failed" && viewer.type !== "system") return { type: "failed", reason: "see the server's log" };
  if (stage.type !== "pushed") return stage;
  const { push } = stage;
  if (!state.journal.isDispatched(push)) return { type: "sending" };
  const behind = viewer.type === "system" ? push.behind : behindOn(push, viewer, state).total;
  if (behind > 0) return { type: "sending" };
  const rejected = viewer.type === "system" ? push.ended.rejected : 0;
  return { type: rejected > 0 ? "rejected" : "acknowledged" };
}

/** The latencies of a push count from the push, those of a change from its commit. */
function deliveryOf({ at }: RecordedChange, push: RecordedPush): Delivery {
  const { owed, ended, behind, latencies, lastAckAt } = push;
  const waited = push.facts.at - at;
  const after = (share: number) => Math.round(waited + latencies.quantile(share));
  return {
    sent: owed,
    ...ended,
    behind,
    ...(lastAckAt !== undefined && {
      latency: { p50: after(0.5), p99: after(0.99), last: Math.round(lastAckAt - at) },
    }),
  };
}

function pushRecord({ facts, changes, types }: RecordedPush, viewer: Viewer, state: DeskState): PushRecord {
  const { journal } = state;
  const visible = changes.filter((id) => {
    const change = journal.find(id);
    return change === undefined ? viewer.type === "system" : isVisible(change, viewer);
  });
  const { number, at, reasons, debouncedMs, buildMs } = facts;
  return {
    number,
    at: state.timeOf(at).toISOString(),
    reasons,
    debouncedMs: Math.round(debouncedMs),
    buildMs: Math.round(buildMs),
    changes: { items: visible.slice(0, shownChanges), total: visible.length },
    ...(viewer.type === "system" && { types: Array.from(types, ([type, totals]) => ({ type, ...totals })) }),
  };
}

/** Exact, from the streams themselves. */
function behindOn({ facts: { number } }: RecordedPush, viewer: Viewer, state: DeskState): Shortened<ProxyBehind> {
  const wanted = [{ first: number, last: number }];
  const behind = proxiesOf(state).filter(
    ({ client, owedPushes }) => maySee(viewer, client.namespace) && commonOf(owedPushes, wanted).length > 0,
  );
  return { items: behind.slice(0, shownBehind).map(proxyBehind), total: behind.length };
}

function proxyBehind({ client, watched }: Connection<Proxy>): ProxyBehind {
  const types = watched
    .filter(({ subscription, target = [] }) => subscription.inFlight !== undefined || subscription.mayBeDue(target))
    .map(({ subscription }) => subscription.type.shortName);
  return { node: client.nodeId, namespace: client.namespace, types };
}

/** A workload sees the current rejections of its own proxies, because the journal counts those of all namespaces. */
function rejectionsOf(push: RecordedPush, viewer: Viewer, state: DeskState): Shortened<ChangeRejection> {
  const quarantined = new Set<string>(quarantinedObjects(state).map(({ object }) => object));
  const shown = (objects: readonly string[]) => ({
    objects: objects.map((id) => linkTo(id as ConfigId, state)).filter(({ namespace }) => maySee(viewer, namespace)),
    quarantined: objects.some((id) => quarantined.has(id)),
  });
  if (viewer.type === "system") {
    const items = push.rejections.map(({ objects, ...rest }) => ({ ...rest, ...shown(objects) }));
    return { items, total: push.rejectionCount };
  }
  const own = proxiesOf(state).filter(({ client }) => maySee(viewer, client.namespace));
  const items = rejectionsAmong(own)
    .slice(0, shownObjects)
    .map(({ objects, proxies, ...rest }) => ({ ...rest, nodes: proxies.slice(0, shownObjects), ...shown(objects) }));
  return { items, total: items.length };
}

function textOf(change: RecordedChange, viewer: Viewer): string {
  const objects = visibleObjects(change, viewer);
  return objects
    .map(({ kind, namespace, name, reference }) => `${kind} ${namespace}/${name} ${reference}`)
    .join("\n")
    .toLowerCase();
}

function sequenceIn(id: string): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}

/** The cursor may name a change that is no longer in the journal. */
function newestFirst(a: string, b: string): number {
  return sequenceIn(b) - sequenceIn(a);
}
