import type { Collection } from "../../../../collection/collection.ts";
import type { Graph } from "../../../../collection/graph.ts";
import { ingressGateway } from "../../../../config/mesh/ingress-gateway.ts";
import { hashText } from "../../../../lib/hash.ts";

interface NamedHost {
  readonly host: string;
  readonly name: string;
}

interface HostNames<T> {
  readonly name: string;
  /** By host. */
  readonly from: Collection<T>;
  readonly nameOf: (value: T, host: string) => string;
}

/** The name of a host's VirtualService, derived from the first Ingress that names the host. */
export function virtualServiceName(host: string, ingress: string): string {
  return `${host.replaceAll(".", "-")}-${ingress}-${ingressGateway}`;
}

/**
 * The hosts of each VirtualService name. Dots and dashes look alike in names, so `a.b.example` and `a-b.example` may
 * share one.
 */
export function hostsByName<T>(graph: Graph, { name, from, nameOf }: HostNames<T>): Collection<readonly NamedHost[]> {
  const named = graph.derive({
    name,
    from,
    key: ({ host }: NamedHost) => host,
    to: (value, _reads, host) => [{ host, name: nameOf(value, host) }],
  });
  return graph.group({ name: `${name}, grouped`, from: named, keys: (each) => [each.name] });
}

/** The name itself, or the name with a suffix for the host if several hosts share the name. */
export function distinctName(name: string, host: string, sharing: readonly NamedHost[] | undefined): string {
  return sharing === undefined || sharing.length < 2 ? name : `${name}-${hashText(host).slice(0, 8)}`;
}
