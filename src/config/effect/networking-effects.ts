import { destinationRule } from "../kinds/destination-rule.ts";
import { gateway } from "../kinds/gateway.ts";
import { meshNetworks } from "../kinds/mesh-networks.ts";
import { sidecar } from "../kinds/sidecar.ts";
import { virtualService } from "../kinds/virtual-service.ts";
import { workloadGroup } from "../kinds/workload-group.ts";
import type { KindEffects, NoEffect } from "./effect-table.ts";

const reported: NoEffect = {
  reason: "load reports of endpoints are not supported; the default load balancing applies",
  instead: ["DestinationRule trafficPolicy.loadBalancer.simple"],
};

/** The paths at which a DestinationRule may have a policy. */
const policies = ["trafficPolicy", "subsets[].trafficPolicy"];
const portPolicies = policies.flatMap((policy) => [policy, `${policy}.portLevelSettings[]`]);

function inEach(
  places: readonly string[],
  rows: Readonly<Record<string, NoEffect>>,
): Readonly<Record<string, NoEffect>> {
  return Object.fromEntries(
    places.flatMap((place) => Object.entries(rows).map(([field, row]) => [`${place}.${field}`, row])),
  );
}

/** Fields of the networking kinds without effect. */
export const networkingEffects: readonly KindEffects[] = [
  {
    kind: gateway,
    refused: ["servers[].port.targetPort"],
    fields: {
      "servers[].defaultEndpoint": { reason: "Istio has never used it: write a VirtualService" },
    },
  },
  {
    kind: destinationRule,
    fields: {
      ...inEach(portPolicies, {
        "loadBalancer.backendUtilization": reported,
        "outlierDetection.consecutiveErrors": {
          reason: "Istio removed it: write consecutive5xxErrors or consecutiveGatewayErrors",
          instead: ["consecutive5xxErrors", "consecutiveGatewayErrors"].map(
            (field) => `DestinationRule trafficPolicy.outlierDetection.${field}`,
          ),
        },
      }),
    },
  },
  {
    kind: virtualService,
    refused: ["http[].fault.delay.exponentialDelay", "http[].fault.abort.http2Error"],
    fields: { "tcp[].match[].sourceSubnet": { reason: "Istio no longer matches connections by it" } },
  },
  {
    kind: meshNetworks,
    fields: {
      "networks{}.gateways[].locality": {
        reason: "Istio does not use it either: endpoints behind a gateway keep their own locality",
        instead: ["ServiceEntry endpoints[].locality", "WorkloadEntry locality"],
      },
    },
  },
  {
    kind: workloadGroup,
    fields: Object.fromEntries(
      [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
        "httpGet",
        "tcpSocket",
        "exec",
        "grpc",
      ].map((field) => [
        `probe.${field}`,
        { reason: "the agent of the machine uses its own probe settings; only the presence of a probe matters" },
      ]),
    ),
  },
  {
    kind: sidecar,
    refused: [
      "ingress[].port.targetPort",
      "egress[].port.targetPort",
      ...["httpsRedirect", "subjectAltNames[]", "credentialName", "credentialNames[]", "tlsCertificates[]"].map(
        (field) => `ingress[].tls.${field}`,
      ),
    ],
    fields: {
      ...inEach(["ingress[]", "egress[]"], {
        "port.name": {
          reason: "the name is for people; ports identify listeners and clusters",
          instead: ["Sidecar ingress[].port.number", "Sidecar egress[].port.number"],
        },
      }),
      ...inEach(["ingress[].connectionPool", "inboundConnectionPool"], {
        "http.h2UpgradePolicy": {
          reason: "the port decides which protocol the proxy uses for its own workload",
          instead: ["Sidecar ingress[].port.protocol"],
        },
      }),
    },
  },
];
