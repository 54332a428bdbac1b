import { type VirtualService, VirtualServiceSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding, type Remark } from "../finding.ts";
import { meshGateway } from "../grammar/gateway-reference.ts";
import type { Kind } from "../kind.ts";
import { exportTo } from "../rules/export-to.ts";
import { gatewayReferences } from "../rules/gateway-references.ts";
import { isClaim } from "../rules/headers.ts";
import { hostOrAddress, isMeshSni } from "../rules/host.ts";
import { coverage, firstOverlaps, hostWildcards } from "../rules/overlaps.ts";
import { networking, networkingCollection } from "./api-groups.ts";
import { httpRoute } from "./virtual-service/http-route.ts";
import { tcpRoute, tlsRoute } from "./virtual-service/l4-route.ts";

export const virtualService: Kind<typeof VirtualServiceSchema> = {
  ...networking,
  kind: "VirtualService",
  plural: "virtualservices",
  collection: networkingCollection("virtualservices"),
  schema: VirtualServiceSchema,
  validate: ({ spec, namespace }) => [
    ...hosts(spec),
    ...(spec.hosts.length === 0 ? delegate(spec) : []),
    ...gatewayReferences(spec.gateways, "spec.gateways"),
    ...someRoute(spec),
    ...spec.http.flatMap((route, index) => httpRoute(route, fieldPath("spec.http", index))),
    ...tlsRoutes(spec),
    ...spec.tcp.flatMap((route, index) => tcpRoute(route, fieldPath("spec.tcp", index))),
    ...claims(spec),
    ...exportTo(spec.exportTo, { namespace }),
  ],
};

function hosts({ hosts, gateways, tls }: VirtualService): readonly Finding[] {
  const reachesSidecars = gateways.length === 0 || gateways.includes(meshGateway);
  const rivals = firstOverlaps(hosts, hostWildcards);
  return hosts.flatMap((host, index) => {
    const path = fieldPath("spec.hosts", index);
    if (host === "*" && reachesSidecars) {
      const message = 'the host "*" would catch all traffic of all sidecars';
      return [error(path, { code: "bad-host", message, hint: 'list its gateways, without "mesh"' })];
    }
    const rival = rivals.get(index);
    const overlap: Remark = { code: "overlapping-hosts", message: `"${host}" overlaps with "${rival}"` };
    const naming = isMeshSni(host) && tls.length > 0 ? [] : hostOrAddress(host, path);
    return [...naming, ...errorUnless(rival === undefined, path, overlap)];
  });
}

/** Only a gateway validates tokens before it chooses a route. */
function claims({ gateways, http }: VirtualService): readonly Finding[] {
  if (gateways.length > 0 && !gateways.includes(meshGateway)) return [];
  return http.flatMap(({ match }, index) =>
    match.flatMap((each, at) =>
      (["headers", "withoutHeaders"] as const).flatMap((field) =>
        Object.keys(each[field])
          .filter(isClaim)
          .map((name) =>
            error(fieldPath("spec.http", index, "match", at, field, name), {
              code: "unsupported-field",
              message: "only a route at a gateway can match claims of a token",
              hint: 'list its gateways, without "mesh"',
            }),
          ),
      ),
    ),
  );
}

function tlsRoutes({ tls, hosts }: VirtualService): readonly Finding[] {
  // A delegate has no hosts.
  const reaches = hosts.length === 0 ? () => true : coverage(hosts, hostWildcards);
  return tls.flatMap((route, index) => tlsRoute(route, fieldPath("spec.tls", index), reaches));
}

/** Without hosts it must be a delegate of another VirtualService, which has gateways and hosts. */
function delegate({ gateways, tcp, tls, http }: VirtualService): readonly Finding[] {
  const nested = http.findIndex((route) => route.delegate !== undefined);
  return [
    ...errorUnless(gateways.length === 0 && tcp.length === 0 && tls.length === 0, "spec.hosts", {
      code: "missing-host",
      message: "hosts are missing",
      hint: "only a delegate has no hosts, and it has no gateways, tcp or tls either",
    }),
    ...errorUnless(nested === -1, fieldPath("spec.http", nested, "delegate"), {
      code: "nested-delegate",
      message: "a delegate cannot delegate further",
    }),
  ];
}

function someRoute({ http, tcp, tls }: VirtualService): readonly Finding[] {
  return errorUnless(http.length + tcp.length + tls.length > 0, "spec", {
    code: "missing-route",
    message: "a VirtualService needs http, tcp or tls",
  });
}
