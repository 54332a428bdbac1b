import type { ConfigId } from "../../config/config.ts";
import type { RefusedObject } from "../../explain/explanation.ts";
import { namespaceOf } from "../../pilot/model/config-id.ts";
import { proxyClassOf } from "../../pilot/model/proxy/proxy-class.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { QuarantineReport, ReportedRefusal } from "../../pilot/xds/quarantine/report.ts";
import type { PilotState } from "../state.ts";
import { objectWithReference } from "./object-reference.ts";

/** An object that a class of proxies refuses, for pages, commands and the status of the object. */
export interface QuarantinedObject
  extends Pick<ReportedRefusal, "reason" | "rejected" | "node" | "probes" | "instead" | "state"> {
  readonly object: ConfigId;
  /** `file:line`; empty when the object is gone. */
  readonly reference: string;
  /** The refused version; empty if the proxies refuse the mesh without the object. */
  readonly version: string;
  /** Role and version of the proxies that refuse it: `router 1.40.0 (3f2a91)`. */
  readonly class: string;
  /** How many connected proxies do not get the object. */
  readonly proxies: number;
  readonly since: string;
  /** The node of a second proxy that refused it; empty while no second proxy has tried it. */
  readonly confirmedBy: string;
}

export type QuarantineState = Pick<PilotState, "connections" | "originOf" | "timeOf" | "quarantine">;

/** Every quarantined object, once per class that refuses it, the oldest refusal first. */
export function quarantinedObjects(state: QuarantineState): readonly QuarantinedObject[] {
  const report = state.quarantine();
  if (report === undefined) return [];
  const classes = new Map(report.classes.map(({ id, description }) => [id, description]));
  return report.refusals.map((reported) => {
    const { id, version = "", classId, keptFrom: proxies, since, confirmedBy = "", ...rest } = reported;
    const { arrivedAt: _, ...refusal } = rest;
    return {
      ...objectWithReference(id, state),
      version,
      class: classes.get(classId) ?? classId,
      proxies,
      since: state.timeOf(since).toISOString(),
      confirmedBy,
      ...refusal,
    };
  });
}

/**
 * The quarantined objects of a namespace, as its workloads may see them: without resources that may belong to others,
 * and without a trace of proxies in other namespaces.
 */
export function quarantinedWithin(namespace: string, state: QuarantineState): readonly QuarantinedObject[] {
  const own = [...state.connections()].map(({ client }) => client).filter((proxy) => proxy.namespace === namespace);
  const report = state.quarantine();
  const nodes = new Set(own.map(({ nodeId }) => nodeId));
  const known = (node: string) => (nodes.has(node) ? node : "");
  return quarantinedObjects(state)
    .filter(({ object }) => namespaceOf(object) === namespace)
    .map(({ node, confirmedBy, state: its, ...quarantined }) => ({
      ...quarantined,
      // A proxy that refuses an object alone is named beside its class.
      class: nodes.has(node) ? quarantined.class : quarantined.class.replace(` ${node}`, ""),
      rejected: [],
      proxies: own.filter((proxy) => keptFrom(proxy, report).includes(quarantined.object)).length,
      node: known(node),
      confirmedBy: known(confirmedBy),
      state: its.type === "being tried" ? { ...its, node: known(its.node) } : its,
    }));
}

/** The objects that are kept away from a proxy. */
export function keptFrom(proxy: Proxy, report: QuarantineReport | undefined): readonly ConfigId[] {
  return refusalsFor(proxy, report).map(({ id }) => id);
}

/** The objects that are kept away from a proxy, with their places and replacements. */
export function quarantinedFor(
  proxy: Proxy,
  state: Pick<QuarantineState, "originOf" | "timeOf" | "quarantine">,
): readonly RefusedObject[] {
  return refusalsFor(proxy, state.quarantine()).map(({ id, since, reason, instead }) => ({
    ...objectWithReference(id, state),
    since: state.timeOf(since).toISOString(),
    instead,
    reason,
  }));
}

function refusalsFor(proxy: Proxy, report: QuarantineReport | undefined): readonly ReportedRefusal[] {
  if (report === undefined || report.refusals.length === 0) return [];
  const { id: own } = proxyClassOf(proxy);
  // The id of a proxy that refuses an object alone begins with the id of its class.
  return report.refusals.filter(
    ({ classId, node, arrivedAt }) =>
      (classId === own || (node === proxy.nodeId && classId.startsWith(own))) && !arrivedAt.includes(proxy.nodeId),
  );
}
