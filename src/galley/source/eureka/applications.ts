import { compareTexts } from "../../../lib/compare.ts";
import type { EurekaInstance, EurekaListing } from "./eureka-instance.ts";

/** All instances of a server, by application and id. Immutable: unchanged parts keep their identity. */
export type Applications = ReadonlyMap<string, ReadonlyMap<string, EurekaInstance>>;

export const noApplications: Applications = new Map();

/**
 * The applications after a listing. Applying a change twice has no effect, because servers repeat changes for minutes.
 * They also repeat changes of instances that came and went before we connected.
 */
export function withListing(applications: Applications, { listed }: EurekaListing): Applications {
  const all = new Map(applications);
  const opened = new Map<string, Map<string, EurekaInstance>>();
  for (const { instance, gone } of listed) {
    const { app, id } = instance;
    const instances = opened.get(app) ?? new Map(all.get(app));
    opened.set(app, instances);
    all.set(app, instances);
    if (gone) instances.delete(id);
    else instances.set(id, instance);
  }
  for (const [app, instances] of opened) if (instances.size === 0) all.delete(app);
  return all;
}

/** Statuses with their counts, sorted, as in `DOWN_1_UP_34_`. Servers send this hash code to verify a delta. */
export function hashcodeOf(applications: Applications): string {
  const counts = new Map<string, number>();
  for (const { status } of instancesOf(applications)) counts.set(status, (counts.get(status) ?? 0) + 1);
  const sorted = [...counts].toSorted(([a], [b]) => compareTexts(a, b));
  return sorted.map(([status, count]) => `${status}_${count}_`).join("");
}

export function* instancesOf(applications: Applications): Generator<EurekaInstance> {
  for (const instances of applications.values()) yield* instances.values();
}

export function countInstances(applications: Applications): number {
  return applications.values().reduce((sum, { size }) => sum + size, 0);
}

export function hasInstance(applications: Applications, { app, id }: Pick<EurekaInstance, "app" | "id">): boolean {
  return applications.get(app)?.has(id) ?? false;
}
