import type { ConfigId } from "../../../config/config.ts";
import { hostnameCovers, isWildcard } from "../../../config/hostname.ts";
import { scopeFor } from "../../model/default-scope.ts";
import type { PushContext } from "../../model/push-context.ts";
import { kindOf } from "../../model/push-request.ts";

interface Since {
  readonly push: PushContext;
  readonly changed: ReadonlySet<ConfigId>;
}

/**
 * The hostnames whose clusters and endpoints may differ from those of `since`, as a namespace sees them; "all" when
 * that cannot be told. Kinds that `concerns` refuses cannot matter.
 */
export function affectedHostnames(
  namespace: string,
  push: PushContext,
  since: Since | undefined,
  concerns: (kind: string) => boolean,
): ReadonlySet<string> | "all" {
  if (since === undefined || since.push.mesh !== push.mesh) return "all";
  const affected = new Set<string>();
  for (const id of since.changed) {
    const kind = kindOf(id);
    if (!concerns(kind)) continue;
    if (kind === "Service" || kind === "Endpoints") affected.add(id.slice(id.lastIndexOf("/") + 1));
    else if (kind === "DestinationRule") addRuledHostnames(affected, id, namespace, [since.push, push]);
    else return "all";
  }
  return affected;
}

/** The hosts that a rule names, before and after the change. */
function addRuledHostnames(
  affected: Set<string>,
  id: ConfigId,
  namespace: string,
  pushes: readonly PushContext[],
): void {
  for (const push of pushes) {
    const host = push.destinationRules.get(id.slice(id.indexOf("/") + 1))?.host;
    if (host === undefined) continue;
    if (!isWildcard(host)) {
      affected.add(host);
      continue;
    }
    for (const { hostname } of pushes.flatMap((each) => scopeFor(namespace, each).services)) {
      if (hostnameCovers(host, hostname)) affected.add(hostname);
    }
  }
}
