import type { MakeRow } from "./row.ts";
import { gatewayObject } from "./tenant-mesh.ts";

const throughout = { validation: "unvalidated", refusing: "current", begins: "good", victims: [] } as const;
/** Validation refuses it, and so does Envoy. */
const noAddress = "300.0.0.1/99";

function policyObject(kind: string, name: string, spec: object): string {
  return gatewayObject(kind, name, spec).replace("networking", "security");
}

/** A policy of the gateways that denies these paths. */
function denies(paths: readonly string[], ...ipBlocks: readonly string[]): string {
  const from = ipBlocks.length > 0 ? { from: [{ source: { ipBlocks } }] } : {};
  const rules = [{ to: [{ operation: { paths } }], ...from }];
  const spec = { selector: { matchLabels: { app: "gw" } }, action: "DENY", rules };
  return policyObject("AuthorizationPolicy", "guard", spec);
}

/** A policy with an address that is none keeps its accepted version: nothing that was denied is admitted. */
export const authorization: MakeRow = () => ({
  ...throughout,
  refused: ["AuthorizationPolicy/istio-system/guard: earlier version"],
  files: {
    good: { "victim.yaml": denies(["/admin"]) },
    poisoned: { "victim.yaml": denies(["/other"], noAddress) },
    mended: { "victim.yaml": denies(["/admin", "/other"]) },
  },
  effect: async (edge) => `${await edge.statusOf(0, "/admin")} ${await edge.statusOf(0, "/other")}`,
  effects: { good: "403 200", poisoned: "403 200", mended: "403 403" },
});

/** Denies a path to these addresses, in one slot. */
function deniesTo(ipBlock: string): string {
  return policyObject("AuthorizationPolicy", "guard", {
    selector: { matchLabels: { app: "gw", slot: "second" } },
    action: "DENY",
    rules: [{ to: [{ operation: { paths: ["/admin"] } }], from: [{ source: { ipBlocks: [ipBlock] } }] }],
  });
}

/** Without an accepted version everything is denied for the workloads of the policy, and for no others. */
export const newAuthorization: MakeRow = () => ({
  ...throughout,
  refused: ["AuthorizationPolicy/istio-system/guard: denied"],
  files: {
    good: { "victim.yaml": "" },
    poisoned: { "victim.yaml": deniesTo(noAddress) },
    mended: { "victim.yaml": deniesTo("127.0.0.0/8") },
  },
  effect: async (edge) => `${await edge.statusOf(0, "/admin")} ${await edge.statusOf(0, "/")}`,
  effects: { good: "200 200", poisoned: "403 403", mended: "403 200" },
  denied: ["second"],
  affects: ["second"],
});

/** Checks tokens, and copies their payload to a header. No token is valid. */
function tokens(outputPayloadToHeader: string): string {
  const rule = { issuer: "tenant", jwks: JSON.stringify({ keys: [] }), outputPayloadToHeader };
  const spec = { selector: { matchLabels: { app: "gw" } }, jwtRules: [rule] };
  return policyObject("RequestAuthentication", "tokens", spec);
}

const token = ["{}", '{"iss":"tenant"}', "x"].map((part) => Buffer.from(part).toString("base64url")).join(".");

/** Tokens are checked as before while a newer RequestAuthentication is refused. */
export const authentication: MakeRow = () => ({
  ...throughout,
  refused: ["RequestAuthentication/istio-system/tokens: earlier version"],
  files: {
    good: { "victim.yaml": tokens("x-payload") },
    poisoned: { "victim.yaml": tokens("no header\n") },
    mended: { "victim.yaml": tokens("x-newer-payload") },
  },
  effect: async (edge) => {
    const status = await edge.statusOf(0, "/", { authorization: `Bearer ${token}` });
    const dump = await edge.page("/config_dump?resource=dynamic_listeners");
    return `${status} ${/"forward_payload_header":\s*"([^"]*)"/u.exec(dump)?.[1]}`;
  },
  effects: { good: "401 x-payload", poisoned: "401 x-payload", mended: "401 x-newer-payload" },
});
