import type { Metadata } from "#gen/envoy/config/core/v3/base_pb.js";
import type { Route, RouteMatch, VirtualHost } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { ownersIn } from "../../explain/envoy-config.ts";
import type { KnownConfig } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";
import { placeTexts } from "./owner-places.ts";

const head = ["NAME", "VHOST NAME", "DOMAINS", "MATCH", "VIRTUAL SERVICE"];
const wideHead = ["ROUTE", "ACTION"];

/**
 * As `istioctl proxy-config route` has it: a line per match of a virtual host, with the VirtualService that the route
 * itself names. Routes that no VirtualService wrote name none. `wide` has every domain, and the action of each route.
 */
export function routeTable(known: KnownConfig, form: "text" | "wide" = "text"): string {
  const isWide = form === "wide";
  const rows = known.config.routes.flatMap(({ name, virtualHosts }) =>
    virtualHosts.flatMap((host) => {
      const cells = [name, host.name, isWide ? host.domains.join(", ") : domainsText(host.domains)];
      return lines(host).map((route) => [
        ...cells,
        route === undefined ? "" : matchText(route.match),
        virtualServiceIn(route?.metadata ?? host.metadata, known),
        ...(isWide ? [route?.name || "-", route === undefined ? "-" : actionText(route)] : []),
      ]);
    }),
  );
  return textTable([...head, ...(isWide ? wideHead : [])], rows);
}

/** A host without routes has a line, too. */
function lines({ routes }: VirtualHost): readonly (Route | undefined)[] {
  return routes.length === 0 ? [undefined] : routes;
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

/** `90 % CLUSTER, 10 % CLUSTER`, or the kind of another action. */
function actionText({ action: { case: type, value } }: Route): string {
  if (type === "directResponse") return `direct response ${value.status}`;
  if (type !== "route") return type ?? "-";
  const { case: how, value: target } = value.clusterSpecifier;
  if (how === "cluster") return target;
  if (how === "clusterHeader") return `the cluster in the header ${target}`;
  if (how !== "weightedClusters") return how ?? "-";
  const total = target.clusters.reduce((sum, { weight = 0 }) => sum + weight, 0);
  return target.clusters.map(({ name, weight = 0 }) => `${shareText(weight, total)} ${name}`).join(", ");
}

function shareText(weight: number, total: number): string {
  return `${total === 0 ? 0 : Math.round((weight * 1_000) / total) / 10} %`;
}
