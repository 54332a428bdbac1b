import type { Config, ConfigId } from "../../config/config.ts";
import { buildPlan } from "../../plan/build-plan.ts";
import { planId, type VersionedObject } from "../../plan/plan-id.ts";
import type { DeskState } from "../api/desk-state.ts";
import type { PlanAnswer, PlanRequest } from "../api/model/plan.ts";
import type { WhatIfIssue } from "../api/model/explain.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Connection } from "../../xds/connection.ts";
import { passingChange, plannedMeshes, plannedWaves } from "./planned-meshes.ts";
import { editedObjects } from "../explain/edited-objects.ts";

const maxObjects = 500;

/**
 * Plans a change for the connected proxies, with the subscriptions that they have now. Both sides are captured at one
 * moment. The caller asks for one plan at a time. Rejects with `timeout`, and with `internal` if a generator fails.
 */
export async function livePlan(
  state: DeskState,
  { objects: text, deleted, manyProxies, maxRequests, idOnly }: Required<PlanRequest>,
): Promise<PlanAnswer> {
  const { mesh } = state.whatIf;
  const edited = text.trim() === "" ? { objects: [], issues: [] } : editedObjects(text, mesh, maxObjects);
  const removals = deleted.map((id) => ({ id: id as ConfigId, current: mesh.currentOf(id as ConfigId) }));
  const issues = [...edited.issues, ...removals.flatMap(missingIssue)];
  if (issues.some(({ severity }) => severity === "error")) return { issues };
  const written = edited.objects.filter(({ change }) => change !== "unchanged");
  const changes: readonly VersionedObject[] = [
    ...written.map(({ id, config: { origin, version }, change }) => {
      const operation = change === "added" ? ("added" as const) : ("changed" as const);
      return { operation, id, reference: origin.reference, version };
    }),
    ...removals.flatMap(({ id, current }) =>
      current === undefined
        ? []
        : [{ operation: "removed" as const, id, reference: current.origin.reference, version: "" }],
    ),
  ];
  const id = planId(state.configs, changes);
  if (idOnly) return { issues, id };
  const configs = new Map<ConfigId, Config | undefined>([
    ...removals.map((removal) => [removal.id, undefined] as const),
    ...written.map(({ id: own, config }) => [own, config] as const),
  ]);
  const { discovery } = mesh;
  const passing = passingChange(discovery, configs, (own) => mesh.currentOf(own));
  let connections: readonly Connection<Proxy>[] = [];
  const contexts = await mesh.contexts(() => {
    connections = [...state.connections()];
    return plannedMeshes(discovery, configs, { passing, connections });
  });
  const plan = await buildPlan({
    ...contexts,
    id,
    objects: changes.map(({ operation, id: own, reference }) => ({ operation, id: own, reference })),
    originOf: { before: state.originOf, after: (own) => configs.get(own)?.origin ?? state.originOf(own) },
    manyProxies: manyProxies / 100,
    maxRequests,
  });
  const touched = new Set(plan.deliveries.flatMap(({ proxies }) => proxies));
  const waves = plannedWaves(passing, connections, touched);
  return { issues, id, plan: waves.length === 0 ? plan : { ...plan, waves } };
}

function missingIssue({ id, current }: { readonly id: ConfigId; readonly current: Config | undefined }) {
  if (current !== undefined) return [];
  const text = `${id} is to be deleted, and the server has no such object of a kind that it reads as it is written`;
  return [{ severity: "error", text } satisfies WhatIfIssue];
}
