import { RedirectAction_RedirectResponseCode as ResponseCode } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { Redirect } from "../../../model/traffic/virtual-service.ts";

const responseCodes: ReadonlyMap<number, ResponseCode> = new Map([
  [0, ResponseCode.MOVED_PERMANENTLY],
  [301, ResponseCode.MOVED_PERMANENTLY],
  [302, ResponseCode.FOUND],
  [303, ResponseCode.SEE_OTHER],
  [307, ResponseCode.TEMPORARY_REDIRECT],
  [308, ResponseCode.PERMANENT_REDIRECT],
]);

const defaultPorts: ReadonlyMap<string, number> = new Map([
  ["http", 80],
  ["https", 443],
]);

/** Undefined for a status code that Envoy cannot redirect with. */
export function buildRedirect(redirect: Redirect, listenPort: number, tls: boolean) {
  const responseCode = responseCodes.get(redirect.code);
  if (responseCode === undefined) return undefined;
  return {
    hostRedirect: redirect.authority,
    responseCode,
    schemeRewriteSpecifier:
      redirect.scheme === "" ? undefined : ({ case: "schemeRedirect", value: redirect.scheme } as const),
    portRedirect: portOf(redirect, listenPort, tls),
    pathRewriteSpecifier:
      redirect.path.type === "prefix"
        ? ({ case: "prefixRewrite", value: redirect.path.value } as const)
        : ({ case: "pathRedirect", value: redirect.path.value } as const),
  };
}

/** 0 omits the port where it is the default of the scheme. */
function portOf({ port, scheme }: Redirect, listenPort: number, tls: boolean): number {
  if (port === "default") return 0;
  const wanted = port === "from-request" ? listenPort : port;
  const resulting = scheme === "" ? (tls ? "https" : "http") : scheme;
  return defaultPorts.get(resulting) === wanted ? 0 : wanted;
}
