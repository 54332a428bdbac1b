import type { Config, ConfigId } from "../../config/config.ts";
import { compareTexts } from "../../lib/compare.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { contentOf, planOf, type StagedChange } from "../../pilot/registry/rollout/staged-change.ts";
import type { Substitutes } from "../../pilot/registry/substituted-mesh.ts";
import type { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import { covers } from "../../pilot/xds/quarantine/scope.ts";
import { chooseProxies } from "../../pilot/xds/rollout/choose-proxies.ts";
import { isReached } from "../../pilot/xds/rollout/membership.ts";
import { nextOf } from "../../pilot/xds/rollout/staged-rollout.ts";
import { connectedProxy } from "../../plan/connected-proxies.ts";
import type { PlannedProxy } from "../../plan/fleet.ts";
import type { PlannedWave } from "../../plan/plan.ts";
import type { Connection } from "../../xds/connection.ts";

export type SideMeshFacts = Pick<DiscoveryServer, "quarantine" | "rollouts" | "substitutesFor">;

/** Proxies whose meshes differ from that of the users in the same way, before and after a change. */
export interface PlannedMesh {
  readonly before: Substitutes;
  readonly after: Substitutes;
  /** Objects that the proxies refuse, and that the change does not touch. */
  readonly leftOut: readonly ConfigId[];
  readonly proxies: PlannedProxy[];
}

type Changes = ReadonlyMap<ConfigId, Config | undefined>;

/** The change as it passes the rollouts. */
export interface PassingChange {
  /** Objects that proxies get at once. */
  readonly admitted: Changes;
  /** Rollouts that the change begins, or begins anew. */
  readonly begun: readonly StagedChange[];
  /** Rollouts that the change does not touch, by id and content. */
  readonly untouched: ReadonlySet<string>;
}

export function passingChange(
  { rollouts }: Pick<SideMeshFacts, "rollouts">,
  changes: Changes,
  currentOf: (id: ConfigId) => Config | undefined,
): PassingChange {
  const arrived = Array.from(changes, ([id, after]) => ({ id, before: currentOf(id), after }));
  if (rollouts === undefined) return { admitted: changes, begun: [], untouched: new Set() };
  const { admitted, held } = rollouts.preview(arrived);
  const passing = new Set(admitted);
  return {
    admitted: new Map(arrived.filter((each) => passing.has(each)).map(({ id, after }) => [id, after])),
    begun: [...held.values()].filter(({ objects }) => [...changes.keys()].some((id) => objects.has(id))),
    untouched: new Set(Array.from(held.values(), nameOf)),
  };
}

function nameOf(change: StagedChange): string {
  return `${change.id} ${contentOf(change)}`;
}

/**
 * The meshes that connected proxies have, and will have when all waves of the change are over. A proxy keeps doing without
 * an object that it refuses, unless the change touches the object: then it tries the new version.
 */
export function plannedMeshes(
  facts: SideMeshFacts,
  changes: Changes,
  { passing, connections }: { readonly passing: PassingChange; readonly connections: Iterable<Connection<Proxy>> },
): readonly PlannedMesh[] {
  const meshes = new Map<string, PlannedMesh>();
  for (const connection of connections) {
    const before = facts.substitutesFor(connection.client);
    const { after, leftOut } = sideAfter(facts, { client: connection.client, before, changes, passing });
    const key = JSON.stringify([textOf(before), textOf(after), leftOut]);
    const mesh = meshes.get(key) ?? { before, after, leftOut, proxies: [] };
    meshes.set(key, mesh);
    mesh.proxies.push(connectedProxy(connection));
  }
  return [...meshes.values()];
}

interface SideOfProxy {
  readonly client: Proxy;
  readonly before: Substitutes;
  readonly changes: Changes;
  readonly passing: PassingChange;
}

function sideAfter({ quarantine, rollouts }: SideMeshFacts, { client, before, changes, passing }: SideOfProxy) {
  const after = new Map(before);
  const left = new Set<ConfigId>();
  const refusals = (quarantine?.scopes ?? [])
    .filter(({ scope }) => covers(scope, client))
    .flatMap((each) => [...each.refusals.values()]);
  for (const { id, instead } of refusals) {
    if (!changes.has(id)) left.add(id);
    else for (const object of instead.objects.keys()) after.delete(object);
  }
  for (const rollout of rollouts?.rollouts ?? []) {
    if (passing.untouched.has(nameOf(rollout.change))) continue;
    for (const id of rollout.change.objects.keys()) after.delete(id);
  }
  for (const [id, config] of passing.admitted) after.set(id, config);
  for (const change of passing.begun) for (const [id, config] of nextOf(change)) after.set(id, config);
  return { after, leftOut: [...left].toSorted(compareTexts) };
}

function textOf(substitutes: Substitutes): string {
  const lines = Array.from(substitutes, ([id, config]) => `${id} ${config?.version ?? ""}`);
  return lines.toSorted(compareTexts).join("\n");
}

/** The proxies of each wave, and after the last one everybody else. `touched` are the nodes that the change reaches. */
export function plannedWaves(
  { begun }: PassingChange,
  connections: readonly Connection<Proxy>[],
  touched: ReadonlySet<string>,
): readonly PlannedWave[] {
  return begun.flatMap((change) => {
    const plan = planOf(change);
    const of = plan.waves.length + 1;
    const reached = new Set<Connection<Proxy>>();
    let chosen: ReadonlySet<string> = new Set();
    return Array.from({ length: of }, (_, index): PlannedWave => {
      const state = { plan, wave: index + 1, chosen };
      chosen = new Set([...chosen, ...chooseProxies(state, connections, ({ client }) => touched.has(client.nodeId))]);
      const isIn = ({ client }: Connection<Proxy>) => state.wave === of || isReached({ ...state, chosen }, client);
      const own = connections.filter((each) => !reached.has(each) && isIn(each));
      for (const each of own) reached.add(each);
      const proxies = [...new Set(own.map(({ client }) => client.nodeId))].toSorted(compareTexts);
      return { rollout: change.id, wave: state.wave, of, proxies };
    });
  });
}
