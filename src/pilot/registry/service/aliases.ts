import type { Tracked } from "../../../collection/collection.ts";
import { type Config, configId } from "../../../config/config.ts";
import type { MeshService } from "../../../config/mesh/mesh-service.ts";
import { compareTexts } from "../../../lib/compare.ts";
import type { Alias } from "../../model/service/service.ts";
import { clusterPortOf } from "./cluster-service.ts";

/**
 * The aliases of a host, direct or through other aliases, sorted. `byTarget` holds ExternalName services by their
 * target. A loop of aliases has no target and is ignored.
 */
export function aliasesOf(hostname: string, byTarget: Tracked<readonly Config<MeshService>[]>): readonly Alias[] {
  const found = new Map<string, Alias>();
  const targets = [hostname];
  for (const target of targets) {
    for (const { namespace, name, spec } of byTarget.get(target) ?? []) {
      if (spec.hostname === hostname || found.has(spec.hostname)) continue;
      found.set(spec.hostname, {
        hostname: spec.hostname,
        ports: spec.ports.map(clusterPortOf),
        owner: configId("Service", namespace, name),
      });
      targets.push(spec.hostname);
    }
  }
  return [...found.values()].toSorted((a, b) => compareTexts(a.hostname, b.hostname));
}
