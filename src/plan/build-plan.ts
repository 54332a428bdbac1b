import { knownConfig } from "../admin/explain/known-config.ts";
import type { ConfigId, Origin } from "../config/config.ts";
import { append } from "../lib/append.ts";
import { isProxyless, type Proxy } from "../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../pilot/model/push-context.ts";
import { patchEffectsFor } from "../pilot/xds/patch-effects.ts";
import { configOwners } from "../pilot/xds/status/suspects.ts";
import { clusterType, endpointType, routeType } from "../xds/type-urls.ts";
import { conflictChanges } from "./conflict-changes.ts";
import { type Effect, type FleetOptions, type PlannedProxy, type ProxyClass, rehearseFleet } from "./fleet.ts";
import type { ConflictChange, DeliveredType, Delivery, Plan, PlannedObject, Risk } from "./plan.ts";
import { mergedDeliveries } from "./merged-deliveries.ts";
import { mergedRequests, type ProxyRequests } from "./merged-requests.ts";
import { refusedByEnvoy } from "./risks/refused-by-envoy.ts";
import type { AskEnvoy } from "./envoy/find-refused.ts";
import { failingRequests, type FoundRisk, manyProxies, mergedRisks } from "./risks/found-risks.ts";
import { lastEndpoints, newDanglingReferences } from "./risks/last-endpoints.ts";
import { newHostOwners, openedPorts } from "./risks/listening.ts";
import { widenedPolicies } from "./risks/widened-policies.ts";
import { type RequestChanges, requestChanges } from "./requests/request-changes.ts";
import { type TypeChange, typeChanges } from "./resource-changes.ts";

/** Proxies with the same mesh on both sides of the change. */
interface PlannedGroup extends Pick<FleetOptions, "before" | "after" | "proxies"> {
  /** Objects that these proxies refuse. */
  readonly leftOut?: readonly ConfigId[];
}

export interface PlanOptions extends Omit<FleetOptions, keyof PlannedGroup> {
  readonly groups: readonly PlannedGroup[];
  readonly id: string;
  readonly objects: readonly PlannedObject[];
  readonly originOf: { readonly before: FindOrigin; readonly after: FindOrigin };
  /** The share of proxies, from 0 to 1, above which a change is a risk. */
  readonly manyProxies: number;
  /** The most requests that are explained, for all proxies together. */
  readonly maxRequests: number;
  /** Asks a real Envoy, if there is one. */
  readonly askEnvoy?: AskEnvoy;
}

type FindOrigin = (id: ConfigId) => Origin | undefined;

/**
 * Plans a change of the mesh: what each proxy is sent, which requests go elsewhere, and what may go wrong. It reads two
 * pinned contexts, so the same input has the same plan, on a server and without one.
 */
export async function buildPlan(options: PlanOptions): Promise<Plan> {
  const effects: ClassEffect[] = [];
  const conflicts: ConflictChange[] = [];
  const meshRisks: Risk[] = [];
  for (const group of options.groups) {
    const { before, after } = group;
    const classes = await rehearseFleet({ ...options, ...group });
    const touched = classes.filter((each): each is TouchedClass => each.effect !== undefined);
    append(
      effects,
      touched.map((each) => effectOn(each, group, options)),
    );
    append(conflicts, await conflictChanges({ ...options, ...group }));
    append(meshRisks, [...lastEndpoints(before, after), ...newDanglingReferences(before, after)]);
  }
  const requests = await askedBy(effects, options);
  const total = countOf(options.groups.flatMap(({ proxies }) => proxies));
  const touchedCount = countOf(effects.flatMap(({ proxies }) => proxies));
  const judged = options.askEnvoy && (await judgedBy(options.askEnvoy, effects, options));
  const found = [...effects.flatMap(risksFor), ...(judged?.found ?? [])];
  return {
    id: options.id,
    objects: options.objects,
    proxies: { total, touched: touchedCount },
    deliveries: mergedDeliveries(effects.map(({ delivery }) => delivery)),
    requests,
    conflicts: distinct(conflicts),
    risks: [
      ...distinct(meshRisks),
      ...failingRequests(requests.changes),
      ...mergedRisks(found),
      ...manyProxies({ total, touched: touchedCount }, options.manyProxies),
    ],
    ...(judged && { judged: judged.count }),
  };
}

/** Meshes of different groups of proxies have most in common. */
function distinct<T>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

interface TouchedClass extends ProxyClass {
  readonly effect: Effect;
}

/** A touched class, and its configuration on both sides. */
interface ClassEffect {
  readonly group: PlannedGroup;
  readonly proxies: readonly PlannedProxy[];
  readonly proxy: Proxy;
  readonly delivery: Delivery;
  readonly changes: readonly TypeChange[];
  readonly resources: Effect["resources"]["after"];
  readonly before: ReturnType<typeof knownConfig>;
  readonly after: ReturnType<typeof knownConfig>;
}

function effectOn({ proxies, mode, effect }: TouchedClass, group: PlannedGroup, options: PlanOptions): ClassEffect {
  const { before, after, leftOut = [] } = group;
  const { generators, originOf } = options;
  const changes = typeChanges(effect.rehearsal, mode);
  const [{ proxy }] = proxies as [PlannedProxy];
  const configIn = (push: PushContext, held: Effect["resources"]["before"], find: FindOrigin) =>
    knownConfig(held, patchEffectsFor(proxy, generators, push), find);
  const names = new Map(generators.map(({ typeUrl, shortName }) => [typeUrl, shortName]));
  return {
    group,
    proxies,
    proxy,
    changes,
    resources: effect.resources.after,
    delivery: {
      proxies: proxies.map(({ name }) => name),
      count: countOf(proxies),
      mode,
      ...(leftOut.length > 0 && { leftOut }),
      types: changes.map((each) => deliveredType(each, names.get(each.typeUrl) ?? each.typeUrl)),
    },
    before: configIn(before, effect.resources.before, originOf.before),
    after: configIn(after, effect.resources.after, originOf.after),
  };
}

function deliveredType({ responses, resources, bytes, changes }: TypeChange, type: string): DeliveredType {
  return {
    type,
    responses,
    resources,
    bytes,
    changes: changes.map(({ operation, name, bytes: own, resource }) => {
      return { operation, name, bytes: own, owners: configOwners(resource) };
    }),
  };
}

async function askedBy(effects: readonly ClassEffect[], { maxRequests, turn }: PlanOptions) {
  const asked: ProxyRequests[] = [];
  let left = maxRequests;
  for (const { proxies, proxy, changes, before, after } of effects) {
    const touched = changes.filter(({ typeUrl }) => typeUrl === clusterType || typeUrl === endpointType);
    const found: RequestChanges = await requestChanges({
      type: proxy.type,
      before,
      after,
      touched: new Set(touched.flatMap((each) => each.changes.map(({ name }) => name))),
      most: left,
      turn,
    });
    left -= found.asked;
    asked.push({ proxies: proxies.map(({ name }) => name), found });
  }
  return mergedRequests(asked);
}

function risksFor({ group, proxies, proxy, changes, before, after }: ClassEffect): readonly FoundRisk[] {
  const routes = changes.find(({ typeUrl }) => typeUrl === routeType)?.changes ?? [];
  const owners =
    proxy.type === "router"
      ? newHostOwners(
          before,
          after,
          routes.map(({ name }) => name),
        )
      : [];
  const risks: readonly Risk[] = [
    ...openedPorts(before, after, proxy.type),
    ...owners,
    ...widenedPolicies(proxy, group.before, group.after),
  ];
  return risks.map((risk) => ({ risk, proxies: proxies.map(({ name }) => name) }));
}

/** One Envoy judges for each group of Envoys. */
async function judgedBy(ask: AskEnvoy, effects: readonly ClassEffect[], { originOf }: PlanOptions) {
  const found: FoundRisk[] = [];
  const envoys = effects.filter(({ proxy }) => !isProxyless(proxy));
  let left = 0;
  for (const { proxies, proxy, changes, resources, after } of envoys) {
    const changed = new Map(changes.map((each) => [each.typeUrl, new Set(each.changes.map(({ name }) => name))]));
    const isChanged = (typeUrl: string, name: string) => changed.get(typeUrl)?.has(name) ?? false;
    const group = { node: proxy.nodeId, resources, isChanged, after, originOf: originOf.after };
    const { risks, complete } = await refusedByEnvoy(group, ask);
    if (!complete) left += 1;
    for (const risk of risks) found.push({ risk, proxies: proxies.map(({ name }) => name) });
  }
  return { found, count: { groups: envoys.length, left } };
}

function countOf(proxies: readonly PlannedProxy[]): number {
  return proxies.reduce((sum, { count }) => sum + count, 0);
}
