import fc from "fast-check";
import { type Config, configKey } from "../../../src/config/config.ts";
import { type Kind, outputOf } from "../../../src/config/kind.ts";
import { authorizationPolicy } from "../../../src/config/kinds/authorization-policy.ts";
import { policy } from "../../../src/config/kinds/legacy/authentication-policy.ts";
import { rbacConfig } from "../../../src/config/kinds/legacy/rbac.ts";
import { peerAuthentication } from "../../../src/config/kinds/peer-authentication.ts";
import type { Transformer } from "../../../src/galley/processor/transformer.ts";
import { legacyAuthenticationTransformer } from "../../../src/galley/processor/transforms/legacy-authentication.ts";
import { legacyAuthorizationTransformer } from "../../../src/galley/processor/transforms/legacy-authorization.ts";
import { TransformerRig } from "../../../src/testing/galley/transformer-rig.ts";
import { acceptedConnections } from "./accepted-connections.ts";
import { allowedRequests } from "./allowed-requests.ts";
import type { PolicyKind } from "./policy-kinds.ts";

interface Conversion {
  readonly from: Kind;
  readonly to: Kind;
  readonly by: (domain: string) => Transformer;
  /** Objects that are always there. */
  readonly beside?: string;
}

/** The policies of today that legacy objects become. */
function converted(configs: readonly Config[], { from, to, by, beside = "" }: Conversion): readonly Config[] {
  const rig = new TransformerRig(by("cluster.local"));
  rig.apply(beside);
  for (const config of configs) rig.input(from.collection).set(configKey(config), config);
  return [...rig.output(outputOf(to) ?? "").values()];
}

/** In each namespace everybody may ask for one path. */
const roles = ["one", "two"].map(
  (namespace) => `
apiVersion: rbac.istio.io/v1alpha1
kind: ServiceRoleBinding
metadata: {name: all, namespace: ${namespace}}
spec: {subjects: [{user: "*"}], actions: [{paths: [/a]}]}
`,
);

const listed = fc.constantFrom({ namespaces: ["one"] }, { namespaces: ["two"] });

/** Where access control is on. Several objects of the kind contradict each other. */
export const legacySwitch: PolicyKind = {
  kind: rbacConfig,
  keys: ["one/default", "one/default", "two/default"],
  goodSpec: fc.oneof(
    fc.constantFrom({ mode: "OFF" }, { mode: "ON" }),
    listed.map((inclusion) => ({ mode: "ON_WITH_INCLUSION", inclusion })),
    listed.map((exclusion) => ({ mode: "ON_WITH_EXCLUSION", exclusion })),
  ),
  mistakes: [
    (spec) => ({ ...spec, mode: "OONN" }),
    () => ({ mode: "ON_WITH_INCLUSION" }),
    () => ({ mode: "ON_WITH_EXCLUSION", exclusion: "one" }),
    (spec) => ({ ...spec, inclusions: {} }),
    () => 7,
    () => null,
  ],
  allowed: (configs) =>
    allowedRequests(
      converted(configs, {
        from: rbacConfig,
        to: authorizationPolicy,
        by: legacyAuthorizationTransformer,
        beside: roles.join("---"),
      }),
    ),
};

const mtls = fc.constantFrom<object>({ mtls: {} }, { mtls: {} }, { mtls: { mode: "PERMISSIVE" } });

/** The mutual TLS of authentication policies. */
export const legacyPolicy: PolicyKind = {
  kind: policy,
  keys: ["one/default", "one/default", "two/default", "istio-system/default"],
  goodSpec: mtls.map((peer) => ({ peers: [peer] })),
  mistakes: [
    () => ({ peers: [{ mtls: { mode: "STRIKT" } }] }),
    () => ({ peers: "mtls" }),
    (spec) => ({ ...spec, perrs: [] }),
    (spec) => ({ ...spec, targets: [{ name: "x" }] }),
    () => 7,
    () => null,
  ],
  allowed: (configs) =>
    acceptedConnections(
      converted(configs, { from: policy, to: peerAuthentication, by: legacyAuthenticationTransformer }),
    ),
};
