import type { Collection } from "../../collection/collection.ts";
import { type Config, configKey } from "../../config/config.ts";
import { healthChecksAnnotation } from "../../config/mesh/workload-health.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { type RegistrationEvent, WorkloadRegistry } from "../../pilot/xds/workloads/workload-registry.ts";
import type { WorkloadStore } from "../../pilot/xds/workloads/workload-store.ts";
import type { Options } from "../options/options.ts";
import { entryText, registeredEntry, templateOf } from "./registered-entry.ts";
import type { EntryKeeper } from "./shared-entries.ts";

const groups = "istio/networking/v1alpha3/workloadgroups";
const entries = "istio/networking/v1alpha3/workloadentries";

export interface RegistrySettings {
  readonly options: Pick<Options, "autoRegistration" | "workloadGraceMs" | "workloadHealth" | "xdsIdentityCheck">;
  readonly clock: Clock;
  readonly onEvent: (event: RegistrationEvent) => void;
}

/**
 * The registry of machines that register themselves. It reads WorkloadGroups from Galley's outputs when machines
 * connect, and writes WorkloadEntries to the keeper. The keeper's source feeds the pipeline like every other source.
 */
export function buildWorkloadRegistry(
  { options, clock, onEvent }: RegistrySettings,
  keeper: EntryKeeper,
  outputs: ReadonlyMap<string, Collection<Config>>,
): WorkloadRegistry {
  const groupAt = (namespace: string, name: string) => {
    const config = outputs.get(groups)?.get(configKey({ namespace, name }));
    return config === undefined ? undefined : templateOf(config);
  };
  const store: WorkloadStore = {
    group(namespace, name) {
      const group = groupAt(namespace, name);
      if (group === undefined) return undefined;
      return { serviceAccount: group.template?.serviceAccount ?? "", probed: group.probe !== undefined };
    },
    put(workload, change) {
      const text = entryText(workload, groupAt(workload.namespace, workload.group) ?? {});
      keeper.put(registeredEntry(text, workload, keeper.source.name), text, change);
    },
    entry(namespace, name) {
      const config = outputs.get(entries)?.get(configKey({ namespace, name }));
      if (config === undefined) return undefined;
      // The kind table guarantees that a WorkloadEntry has this spec.
      const { serviceAccount } = config.spec as { readonly serviceAccount: string };
      return { serviceAccount, checked: keeper.report !== undefined && healthChecksAnnotation in config.annotations };
    },
    report: (namespace, name, health, change) => keeper.report?.(namespace, name, health, change),
    remove: (namespace, name) => keeper.remove(namespace, name),
  };
  const { autoRegistration, workloadGraceMs: graceMs, workloadHealth: healthChecks } = options;
  const { xdsIdentityCheck: identityCheck } = options;
  return new WorkloadRegistry({ store, clock, graceMs, autoRegistration, healthChecks, identityCheck, onEvent });
}
