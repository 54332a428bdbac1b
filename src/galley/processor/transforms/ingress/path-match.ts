import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HTTPRouteSchema, StringMatchSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";

export type UriMatch = MessageInitShape<typeof StringMatchSchema>;
export type HttpRouteInit = MessageInitShape<typeof HTTPRouteSchema>;

/** The match of a path with a v1 path type. The type may be unset. */
export function typedMatch(path: string, pathType: string): UriMatch | undefined {
  if (path !== "" && pathType === "Exact") return exact(path);
  if (path !== "" && pathType === "Prefix") return prefix(path);
  return patternMatch(path);
}

/** The match of a path in the oldest style: `.*` or `/*` at the end matches everything below. */
export function patternMatch(path: string): UriMatch | undefined {
  if (path === "" || path === "*") return undefined;
  const stem = /^(?<stem>.*?)(?:\.\*|\/\*)$/u.exec(path)?.groups?.["stem"];
  if (stem === undefined) return exact(path);
  return stem === "" ? undefined : prefix(stem);
}

/** A route to one port of a service. An undefined match matches every request. */
export function routeTo(host: string, port: number, match: HttpRouteInit["match"] & {}): HttpRouteInit {
  return { match, route: [{ destination: { host, port: { number: port } }, weight: 100 }] };
}

function exact(value: string): UriMatch {
  return { matchType: { case: "exact", value } };
}

function prefix(value: string): UriMatch {
  return { matchType: { case: "prefix", value } };
}
