import type { RouteMatch } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { KnownConfig } from "../mesh/config-dump.ts";
import { table } from "../text/table.ts";
import { placeOf } from "./place-of.ts";

/** As `istioctl proxy-config route` has it: a line per match of a virtual host. */
export function routeTable(known: KnownConfig): string {
  const rows = known.config.routes.flatMap(({ name, virtualHosts }) => {
    const place = placeOf(known, "route", name, "VirtualService");
    return virtualHosts.flatMap((host) => {
      const domains = domainsText(host.domains);
      const matches = host.routes.length === 0 ? [""] : host.routes.map(({ match }) => matchText(match));
      return matches.map((match) => [name, host.name, domains, match, place]);
    });
  });
  return table(["NAME", "VHOST NAME", "DOMAINS", "MATCH", "VIRTUAL SERVICE"], rows);
}

/** The first says which; the others are other spellings of it. */
function domainsText([first = "", ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} + ${more.length} more`;
}

function matchText(match: RouteMatch | undefined): string {
  const path = match?.pathSpecifier;
  if (path?.case === "prefix" || path?.case === "pathSeparatedPrefix") return `${path.value.replace(/\/$/u, "")}/*`;
  if (path?.case === "path") return path.value;
  if (path?.case === "safeRegex") return `regex ${path.value.regex}`;
  if (path?.case === "connectMatcher") return "CONNECT";
  return path?.case === "pathMatchPolicy" ? path.value.name : "/*";
}
