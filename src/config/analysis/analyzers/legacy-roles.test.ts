import { expect, test } from "vitest";
import { findingsOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const rbac = "rbac.istio.io/v1alpha1";
const role = objectYaml(rbac, "ServiceRole", "spec: {rules: [{services: ['*']}]}");
const binding = objectYaml(rbac, "ServiceRoleBinding", "spec: {subjects: [{user: x}], role: a}");
const on = objectYaml(rbac, "ClusterRbacConfig", "spec: {mode: ON}").replace(
  "name: a, namespace: shop",
  "name: default",
);
const off = on.replace("mode: ON", "mode: OFF");
const allow = (spec: string, metadata = "") =>
  objectYaml("security.istio.io/v1", "AuthorizationPolicy", `spec: {${spec}}`, metadata);

const ofRole = ["BIN0003 ServiceRole shop/a metadata.name"];
const ofBinding = ["BIN0003 ServiceRoleBinding shop/a metadata.name"];

test.each([
  ["a bound role with access control switched on", role + binding + on, []],
  ["a role without a binding", role + on, ofRole],
  ["a role that is bound in another namespace only", role + on + binding.replace("shop", "bank"), ofRole],
  ["a binding without a switch", role + binding, ofBinding],
  ["a binding with a switch that is off", role + binding + off, ofBinding],
  ["a binding beside an ALLOW policy of the namespace", role + binding + on + allow("rules: [{}]"), ofBinding],
  [
    "a binding beside an ALLOW policy of the mesh",
    role + binding + on + allow("").replace("shop", "istio-system"),
    ofBinding,
  ],
  ["a binding beside a DENY policy", role + binding + on + allow("action: DENY, rules: [{}]"), []],
  ["a binding beside a policy for other workloads", role + binding + on + allow("selector: {matchLabels: {a: b}}"), []],
  ["a binding beside a trial", role + binding + on + allow("", 'annotations: {istio.io/dry-run: "true"}'), []],
])("%s", (_, text, expected) => {
  expect(findingsOf(text, { analyzer: "auth.ServiceRoleEffectAnalyzer" })).toEqual(expected);
});
