import type { ConfigId } from "../../../../config/config.ts";
import { compareHostnames } from "../../../../config/grammar/hostname.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import type { RouteSettings } from "../../../model/proxy/proxy-settings.ts";
import { hostAndPort } from "../../address.ts";
import type { EncodedRoute } from "../build-routes.ts";
import type { VirtualHost } from "../virtual-host.ts";

/** The routes of one host of a gateway, before hosts with equal routes are joined. */
export interface HostDraft {
  readonly hostname: string;
  readonly port: number;
  readonly requireTls: boolean;
  /** In the order in which they apply. */
  readonly routes: readonly RouteList[];
}

/** The routes one virtual service contributes; lists with equal ids are the same. */
export interface RouteList {
  readonly id: string;
  /** The virtual service. */
  readonly owner: ConfigId;
  readonly routes: readonly EncodedRoute[];
  /** The virtual service, its delegates and the rules behind its routes. */
  readonly owners: readonly ConfigId[];
}

/** A virtual host of a gateway. */
export interface GatewayHost extends VirtualHost {
  readonly owners: readonly ConfigId[];
}

/** Hosts with the same routes share a virtual host, named after the most specific of them. Sorted by name. */
export function collapseHosts(drafts: readonly HostDraft[], { countsAttempts }: RouteSettings): readonly GatewayHost[] {
  const collapsed: (GatewayHost & { readonly domains: string[] })[] = [];
  const byRoutes = new Map<string, (typeof collapsed)[number]>();
  for (const { hostname, port, requireTls, routes } of drafts.toSorted(mostSpecificFirst)) {
    const key = routes.map(({ id }) => id).join("\n");
    const alike = byRoutes.get(key);
    if (alike?.requireTls === requireTls) {
      alike.domains.push(hostname);
      continue;
    }
    const name = hostAndPort(hostname, port);
    const owners = routes.flatMap((list) => list.owners);
    const lists = routes.map((list) => list.routes);
    const host = { name, domains: [hostname], routes: lists, requireTls, countsAttempts, owners };
    collapsed.push(host);
    byRoutes.set(key, host);
  }
  return collapsed.toSorted((a, b) => compareTexts(a.name, b.name));
}

function mostSpecificFirst(a: HostDraft, b: HostDraft): number {
  return compareHostnames(a.hostname, b.hostname);
}
