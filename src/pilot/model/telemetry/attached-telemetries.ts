import type { Telemetry } from "../policy/telemetry.ts";

/** The namespace of a workload, and the namespace whose policies apply to all workloads. */
interface Namespaces {
  readonly namespace: string;
  readonly rootNamespace: string;
}

/**
 * The Telemetry objects of a workload among those that select it. The order is mesh, namespace, workload. Only the
 * oldest object without a selector counts in a namespace. An object with a selector applies to its own namespace only,
 * even in the root namespace.
 */
export function attachedTelemetries(
  selecting: readonly Telemetry[],
  { namespace, rootNamespace }: Namespaces,
): readonly Telemetry[] {
  const wide = (of: string) => selecting.find((telemetry) => telemetry.namespace === of && isWide(telemetry));
  const own = selecting.filter((telemetry) => telemetry.namespace === namespace && !isWide(telemetry));
  return [...new Set([wide(rootNamespace), wide(namespace)]), ...own].filter((each) => each !== undefined);
}

function isWide({ selector, targets }: Telemetry): boolean {
  return selector === undefined && targets.length === 0;
}
