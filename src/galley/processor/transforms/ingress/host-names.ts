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

/** What the VirtualService of a host is called, after the first Ingress that names it. */
export function virtualServiceName(host: string, ingress: string): string {
  return `${host.replaceAll(".", "-")}-${ingress}-${ingressGateway}`;
}

/** The hosts of each name. Dots and dashes look alike there, so `a.b.example` and `a-b.example` may share one. */
export function hostsByName<T>(graph: Graph, { name, from, nameOf }: HostNames<T>): Collection<readonly NamedHost[]> {
  const named = graph.derive({
    name,
    from,
    key: ({ host }: NamedHost) => host,
    to: (value, _reads, host) => [{ host, name: nameOf(value, host) }],
  });
  return graph.group({ name: `${name}, grouped`, from: named, keys: (each) => [each.name] });
}

/** The name itself, or with a mark of the host where others have it as well. */
export function distinctName(name: string, host: string, sharing: readonly NamedHost[] | undefined): string {
  return sharing === undefined || sharing.length < 2 ? name : `${name}-${hashText(host).slice(0, 8)}`;
}
