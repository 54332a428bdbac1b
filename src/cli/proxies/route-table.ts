import type { Metadata } from "#gen/envoy/config/core/v3/base_pb.js";
import type { RouteMatch } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { ownersIn } from "../../explain/envoy-config.ts";
import type { KnownConfig } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";
import { placeTexts } from "./owner-places.ts";

/**
 * As `istioctl proxy-config route` has it: a line per match of a virtual host, with the VirtualService that the route
 * itself names. Routes that no VirtualService wrote name none.
 */
export function routeTable(known: KnownConfig): string {
  const rows = known.config.routes.flatMap(({ name, virtualHosts }) =>
    virtualHosts.flatMap((host) => {
      const cells = [name, host.name, domainsText(host.domains)];
      if (host.routes.length === 0) return [[...cells, "", virtualServiceIn(host.metadata, known)]];
      return host.routes.map(({ match, metadata }) => [
        ...cells,
        matchText(match),
        virtualServiceIn(metadata ?? host.metadata, known),
      ]);
    }),
  );
  return textTable(["NAME", "VHOST NAME", "DOMAINS", "MATCH", "VIRTUAL SERVICE"], rows);
}

function virtualServiceIn(metadata: Metadata | undefined, known: KnownConfig): string {
  return placeTexts(ownersIn(metadata), "VirtualService", known);
}

/** The first name is the type. The others are aliases. */
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
