import { create } from "@bufbuild/protobuf";
import {
  PeerAuthentication_MutualTLS_Mode as Mode,
  type PeerAuthentication,
  PeerAuthenticationSchema,
} from "#gen/istio/security/v1beta1/peer_authentication_pb.js";
import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { workloadSelector } from "../rules/attachment.ts";
import { emptyLists } from "../rules/empty.ts";
import { portNumber } from "../rules/port.ts";
import { readableAttachment } from "../rules/readable-attachment.ts";
import { security, securityCollection } from "./api-groups.ts";

export const peerAuthentication: Kind<typeof PeerAuthenticationSchema> = {
  ...security,
  kind: "PeerAuthentication",
  plural: "peerauthentications",
  collection: securityCollection("peerauthentications"),
  schema: PeerAuthenticationSchema,
  validate: ({ spec }, raw) => [
    ...workloadSelector(spec.selector),
    ...portLevel(spec),
    ...emptyLists(raw, "spec", ["portLevelMtls", "port_level_mtls"]),
  ],
  substitute: onlyMutualTls,
};

/** An unusable policy may require mutual TLS, so its workloads accept nothing else. */
function onlyMutualTls(raw: unknown): PeerAuthentication {
  const { selector } = readableAttachment(raw);
  return create(PeerAuthenticationSchema, { ...(selector && { selector }), mtls: { mode: Mode.STRICT } });
}

/** Ports are ports of a workload, so they need a selector. */
function portLevel({ selector, portLevelMtls }: PeerAuthentication): readonly Finding[] {
  const path = "spec.portLevelMtls";
  const ports = Object.keys(portLevelMtls);
  const selects = Object.keys(selector?.matchLabels ?? {}).length > 0;
  return [
    ...errorUnless(ports.length === 0 || selects, path, {
      code: "missing-selector",
      message: "portLevelMtls needs a selector",
      hint: "set spec.selector.matchLabels",
    }),
    ...ports.flatMap((port) => portNumber(Number(port), fieldPath(path, port))),
  ];
}
