import type { Route, VirtualHost } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { EnvoyPatch, PatchContext } from "../../../model/policy/envoy-patch.ts";
import { partsOf } from "./match-cluster.ts";

/** A route configuration, as far as patches can match it. */
export interface RouteIdentity {
  readonly name: string;
  readonly context: PatchContext;
  /** By a port that a router listens on: the ports of its own services that lead there. */
  readonly servicePorts: ReadonlyMap<number, readonly number[]>;
}

export function matchesRoutes({ route: match }: Pick<EnvoyPatch, "route">, routes: RouteIdentity): boolean {
  if (match === undefined) return true;
  const { name, context, servicePorts } = routes;
  if (match.name !== "" && match.name !== name) return false;
  if (context !== "GATEWAY") return match.port === 0 || match.port === sidecarPort(name);
  const { port, portName, gateway } = gatewayParts(name);
  return (
    (match.portName === "" || match.portName === portName) &&
    (match.gateway === "" || match.gateway === gateway) &&
    (match.port === 0 || (servicePorts.get(port) ?? [port]).includes(match.port))
  );
}

/** Route configurations of sidecars are named by port, inbound ones like clusters. Other names have no port. */
function sidecarPort(name: string): number {
  if (name.startsWith("inbound")) return partsOf(name).port;
  return /^\d+$/u.test(name) ? Number(name) : 0;
}

/** `http.port`, or `https.port.portName.gateway.namespace`. */
function gatewayParts(name: string): { readonly port: number; readonly portName: string; readonly gateway: string } {
  const [scheme, port, ...rest] = name.split(".");
  if (scheme === "http") return { port: numberOf([port, ...rest].join(".")), portName: "", gateway: "" };
  const [portName = "", gateway = "", namespace = ""] = rest;
  if (scheme !== "https" || rest.length !== 3) return { port: 0, portName: "", gateway: "" };
  return { port: numberOf(port ?? ""), portName, gateway: `${namespace}/${gateway}` };
}

function numberOf(text: string): number {
  return /^\d+$/u.test(text) ? Number(text) : 0;
}

export function matchesVirtualHost(
  { route }: EnvoyPatch,
  { name, domains }: Pick<VirtualHost, "name" | "domains">,
): boolean {
  const match = route?.virtualHost;
  if (match === undefined) return true;
  return (match.name === "" || match.name === name) && (match.domain === "" || domains.includes(match.domain));
}

/** Undefined if the patch names no route. */
export function routeMatch({ route }: EnvoyPatch): ((route: Route) => boolean) | undefined {
  const match = route?.virtualHost?.route;
  if (match === undefined) return undefined;
  return ({ name, action }) =>
    (match.name === "" || match.name === name) && (match.action === "ANY" || isAction(match.action, action.case));
}

const actions = { ROUTE: "route", REDIRECT: "redirect", DIRECT_RESPONSE: "directResponse" } as const;

/** Actions that a patch cannot name match every name. */
function isAction(wanted: keyof typeof actions, found: Route["action"]["case"]): boolean {
  const nameable = found === "route" || found === "redirect" || found === "directResponse";
  return !nameable || actions[wanted] === found;
}
