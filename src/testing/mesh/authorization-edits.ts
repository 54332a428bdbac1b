import fc from "fast-check";
import type { WrittenObject } from "./written-objects.ts";

const rule = fc.constantFrom<object>(
  {},
  { from: [{ source: { principals: ["cluster.local/ns/a/sa/one"] } }] },
  { from: [{ source: { namespaces: ["b"] } }], to: [{ operation: { methods: ["GET"], ports: ["80"] } }] },
  { to: [{ operation: { hosts: ["one.example.com"], paths: ["/one/*"] } }] },
  { when: [{ key: "request.auth.claims[group]", values: ["admins"] }] },
);

const attachment = fc.constantFrom<object>(
  {},
  { selector: { matchLabels: { app: "x" } } },
  { selector: { matchLabels: { app: "edge" } } },
  { targetRefs: [{ group: "networking.istio.io", kind: "ServiceEntry", name: "one" }] },
  { targetRefs: [{ kind: "Service", name: "one" }] },
);

const action = fc.constantFrom<object>(
  {},
  { action: "DENY" },
  { action: "AUDIT" },
  { action: "CUSTOM", provider: { name: "authorizer" } },
  { action: "CUSTOM", provider: { name: "authorizer" } },
);

/** The extension provider that CUSTOM policies name. Its service comes and goes. */
export const authorizer: object = {
  name: "authorizer",
  envoyExtAuthzGrpc: { service: "one.a.svc.cluster.local", port: 80 },
};

/** An AuthorizationPolicy: of a namespace, a workload, a service, or the mesh. CUSTOM rules have no identities. */
export const authorizationPolicy: fc.Arbitrary<WrittenObject> = fc
  .record({
    namespace: fc.constantFrom("a", "a", "a", "b", "istio-system"),
    name: fc.constantFrom("one", "two"),
    attachment,
    action,
    rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
    dryRun: fc.nat(5).map((chance) => chance === 0),
  })
  .map(({ namespace, name, attachment: where, action: how, rules, dryRun }) => {
    const isCustom = "provider" in how;
    const isTrial = dryRun && !isCustom && !("action" in how && how.action === "AUDIT");
    const metadata = { namespace, name, ...(isTrial && { annotations: { "istio.io/dry-run": "true" } }) };
    const asked = isCustom ? [{ to: [{ operation: { paths: ["/asked"] } }] }] : rules;
    return {
      apiVersion: "security.istio.io/v1",
      kind: "AuthorizationPolicy",
      metadata,
      spec: { ...where, ...how, rules: asked },
    };
  });
