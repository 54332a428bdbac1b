import { expect, test } from "vitest";
import { pageOf, rawClient, shopEntry, started, wiredServer } from "../../testing/server/wired-server.ts";
import { listenerType } from "../../xds/type-urls.ts";

const mesh = `
apiVersion: mesh.istio.io/v1alpha1
kind: MeshConfig
metadata: { name: mesh }
spec:
  extensionProviders:
  - { name: spans, zipkin: { service: collector.example, port: 80 } }
  - { name: otlp, opentelemetry: { service: collector.example, port: 80 } }
  - { name: logs, envoyOtelAls: { service: collector.example, port: 80 } }
  - { name: other, envoyOtelAls: { service: collector.example, port: 81 } }
  - { name: lost, envoyOtelAls: { service: nowhere.example, port: 80 } }
  - { name: checker, envoyExtAuthzGrpc: { service: collector.example, port: 80 } }
  - { name: lenient, envoyExtAuthzGrpc: { service: collector.example, port: 80, failOpen: true } }
`;

/** The namespace `web` sees nothing of `shop`, where the collector is. */
const narrow = `
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: { name: narrow, namespace: web }
spec: { egress: [{ hosts: ["./*"] }] }
`;

const telemetry = (namespace: string, spec: string) => `
apiVersion: telemetry.istio.io/v1
kind: Telemetry
metadata: { name: all, namespace: ${namespace} }
spec: ${spec}
`;

const custom = (provider: string) => `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: { name: ask, namespace: web }
spec: { action: CUSTOM, provider: { name: ${provider} }, rules: [{}] }
`;

const audit = custom("checker").replace(/action: CUSTOM, provider: \{.*?\}/u, "action: AUDIT");
const tokens = `
apiVersion: security.istio.io/v1
kind: RequestAuthentication
metadata: { name: tokens, namespace: web }
spec: { jwtRules: [{ issuer: me, jwks: '{"keys":[]}' }] }
`;

/** `type: about, losers: reason` of the conflicts of one proxy in a mesh of these objects. */
async function toldTo(
  id: string,
  objects: readonly string[],
  more: { readonly metadata?: { GENERATOR: "grpc" }; readonly extensions?: { typeUrls: string[] }[] } = {},
): Promise<readonly string[]> {
  const server = wiredServer();
  for (const each of [shopEntry("collector"), mesh, narrow, ...objects]) server.source.apply(each);
  await started(server);
  rawClient(server.discovery).ask(listenerType, { id, ...more });
  await server.discovery.idle();
  const { conflicts } = JSON.parse((await pageOf(server, "/debug/conflicts")).body) as { conflicts: Reported[] };
  return conflicts.map(
    ({ type, about, losers, reason }) => `${type}: ${about}, ${losers.map(({ object }) => object).join()}: ${reason}`,
  );
}

interface Reported {
  readonly type: string;
  readonly about: string;
  readonly losers: readonly { readonly object: string }[];
  readonly reason: string;
}

const sidecar = (namespace: string) => `sidecar~10.0.0.9~a.${namespace}~${namespace}.svc.cluster.local`;
const hidden = "collector.example:80 is not visible to the proxy (Sidecar, exportTo), so";

test("a proxy without Istio's stats filter does not follow metrics of Telemetry, and is reported", async () => {
  const metrics = telemetry("shop", "{ metrics: [{ overrides: [{ disabled: true }] }] }");
  expect(await toldTo(sidecar("shop"), [metrics])).toEqual([
    "telemetry: metrics, Telemetry/shop/all: the proxy was built without Istio's stats filter, so it does not count these metrics",
  ]);
  expect(await toldTo(sidecar("web"), [metrics])).toEqual([]);
  const extensions = [{ typeUrls: ["stats.PluginConfig"] }];
  expect(await toldTo(sidecar("shop"), [metrics], { extensions })).toEqual([]);
});

test.each([
  ["spans", "tracing", "Envoy refuses listeners with this tracer"],
  ["otlp", "tracing", "it gets no spans"],
  ["logs", "accessLogging", "it gets no access logs"],
])("the provider %s is reported where a Sidecar hides its service", async (name, field, consequence) => {
  const use = (namespace: string) => telemetry(namespace, `{ ${field}: [{ providers: [{ name: ${name} }] }] }`);
  const objects = [use("web"), use("shop")];
  expect(await toldTo(sidecar("web"), objects)).toEqual([
    `provider: provider ${name}, Telemetry/web/all: ${hidden} ${consequence}`,
  ]);
  expect(await toldTo(sidecar("shop"), objects)).toEqual([]);
  expect(await toldTo("router~10.0.0.9~a.web~web.svc.cluster.local", objects)).toEqual([]);
});

test("a provider is reported where its service lacks the port", async () => {
  const use = telemetry("shop", "{ accessLogging: [{ providers: [{ name: other }] }] }");
  expect(await toldTo(sidecar("shop"), [use])).toEqual([
    `provider: provider other, Telemetry/shop/all: ${hidden.replace("80", "81")} it gets no access logs`,
  ]);
});

test("a disabled provider of logs is not reported", async () => {
  const off = telemetry("web", "{ accessLogging: [{ providers: [{ name: logs }], disabled: true }] }");
  expect(await toldTo(sidecar("web"), [off])).toEqual([]);
});

test("a provider whose service is unknown is reported", async () => {
  const use = telemetry("shop", "{ accessLogging: [{ providers: [{ name: lost }] }] }");
  expect(await toldTo(sidecar("shop"), [use])).toEqual([
    "provider: provider lost, Telemetry/shop/all: its service is unknown, or several namespaces have it, so it gets no access logs",
  ]);
});

test.each([
  ["checker", "the requests are denied"],
  ["lenient", "the requests pass unchecked (failOpen)"],
])("a CUSTOM policy with the hidden provider %s is reported", async (provider, consequence) => {
  expect(await toldTo(sidecar("web"), [custom(provider)])).toEqual([
    `provider: provider ${provider}, AuthorizationPolicy/web/ask: ${hidden} ${consequence}`,
  ]);
});

test.each([
  [
    "CUSTOM",
    custom("checker"),
    "action CUSTOM, AuthorizationPolicy/web/ask: gRPC cannot ask a provider, so the requests that the rules match are denied",
  ],
  ["AUDIT", audit, "action AUDIT, AuthorizationPolicy/web/ask: gRPC cannot audit"],
  [
    "tokens",
    tokens,
    "tokens, RequestAuthentication/web/tokens: gRPC checks no tokens, so every request is one without a token",
  ],
])("a proxyless gRPC server does not follow %s, and is reported", async (_, policy, reason) => {
  expect(await toldTo(sidecar("web"), [policy], { metadata: { GENERATOR: "grpc" } })).toEqual([`proxyless: ${reason}`]);
});
