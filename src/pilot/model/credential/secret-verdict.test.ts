import { expect, test } from "vitest";
import { fakeCredential } from "../../../testing/model/fake-credential.ts";
import { fakeGateway, fakeServer, fakeServerTls } from "../../../testing/model/fake-gateway.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeRule } from "../../../testing/model/traffic.ts";
import { fakeSidecar } from "../../../testing/model/workload.ts";
import type { ServerTls } from "../gateway/gateway.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import { secretClientOf } from "./secret-client.ts";
import { secretVerdict } from "./secret-verdict.ts";

const node = "~10.0.0.1~x-0.edge~edge.svc.cluster.local";
const labels = { LABELS: { app: "edge" } };
const identity = { trustDomain: "cluster.local", namespace: "edge", serviceAccount: "gw" };
const router: Proxy = { ...proxyWithName(`router${node}`, labels), keyAccess: "allowed", identity };
const sidecar: Proxy = { ...proxyWithName(`sidecar${node}`, labels), keyAccess: "allowed", identity };

function gateway(tls: Partial<ServerTls>, namespace = "edge") {
  return fakeGateway({ namespace, servers: [fakeServer({ tls: fakeServerTls(tls) })] });
}

/** `served`, `missing`, or the reason of the refusal. */
function verdictOn(name: string, push: PushContext, proxy = router): string {
  const verdict = secretVerdict(name, secretClientOf(proxy, push), push);
  return verdict.type === "refused" ? verdict.reason : verdict.type;
}

const secrets = [
  fakeCredential("shop", { certificate: "one" }),
  fakeCredential("both", { certificate: "one", authorities: true }),
  fakeCredential("apart", { certificate: "two" }),
  fakeCredential("apart-cacert", { authorities: true }),
  fakeCredential("other/shop", { certificate: "two", authorities: true }),
  fakeCredential("unused", { certificate: "two", authorities: true }),
];
const names = ["shop", "both", "apart", "late", "kubernetes://other/shop", "kubernetes://edge/shop"];
const push = pushOf({
  gateways: [gateway({ mode: "mutual", credentialNames: names })],
  secrets,
  configMaps: [fakeCredential("other/roots", { kind: "ConfigMap", authorities: true })],
});

test("a proxy gets the certificates of its namespace that its configuration names", () => {
  expect(["shop", "both", "apart", "edge/shop"].map((name) => verdictOn(`kubernetes://${name}`, push))).toEqual([
    "served",
    "served",
    "served",
    "served",
  ]);
  expect(verdictOn("kubernetes://late", push)).toBe("missing");
});

test("a Secret of another namespace is refused, whether it exists or not", () => {
  for (const name of ["other/shop", "other/none", "other/shop-cacert"]) {
    expect(verdictOn(`kubernetes://${name}`, push)).toBe("other-namespace");
  }
});

test("the namespace is that of the identity, not the one that the node claims", () => {
  const thief = { ...router, namespace: "other" };
  expect(verdictOn("kubernetes://other/shop", push, thief)).toBe("other-namespace");
  const { identity: _, ...anybody } = { ...thief, keyAccess: "not-authenticated" as const };
  expect(verdictOn("kubernetes://other/shop", push, anybody)).toBe("not-authenticated");
});

test("a private key that no configuration of the proxy names is refused", () => {
  expect(verdictOn("kubernetes://unused", push)).toBe("not-used");
  expect(verdictOn("kubernetes://shop", push, { ...router, labels: { app: "web" } })).toBe("not-used");
  expect(verdictOn("kubernetes://shop", push, sidecar)).toBe("not-used");
});

test.each(["not-encrypted", "not-authenticated"] as const)(
  "a private key is refused on a stream that is %s",
  (keyAccess) => {
    const proxy = { ...router, keyAccess };
    expect(verdictOn("kubernetes://shop", push, proxy)).toBe(keyAccess);
    expect(verdictOn("kubernetes://both-cacert", push, proxy)).toBe("served");
  },
);

test("without facts about its stream a proxy gets no private key", () => {
  const { keyAccess: _, ...unknown } = router;
  expect(verdictOn("kubernetes://shop", push, unknown)).toBe("not-authenticated");
});

test("CA certificates are beside the certificate, or in a Secret of their own, which wins", () => {
  expect(verdictOn("kubernetes://both-cacert", push)).toBe("served");
  expect(verdictOn("kubernetes://shop-cacert", push)).toBe("missing");
  const verdict = secretVerdict("kubernetes://apart-cacert", secretClientOf(router, push), push);
  expect(verdict).toMatchObject({ type: "served", isPublic: true, credential: { name: "apart-cacert" } });
});

test("a ConfigMap is for every proxy, whatever its namespace", () => {
  const { identity: _, ...anybody } = { ...sidecar, keyAccess: "not-encrypted" as const };
  expect(verdictOn("configmap://other/roots", push, anybody)).toBe("served");
  expect(verdictOn("configmap://other/roots-cacert", push, anybody)).toBe("served");
  expect(verdictOn("configmap://other/none", push, anybody)).toBe("missing");
});

test("a name of kubernetes-gateway must be used by a Gateway of the same namespace", () => {
  const name = "kubernetes-gateway://edge/shop";
  const tls = { mode: "mutual", credentialNames: [name] } as const;
  const [own, foreign] = [gateway(tls), gateway(tls, "other")].map((each) => pushOf({ gateways: [each], secrets }));
  expect(own && verdictOn(name, own)).toBe("served");
  expect(own && verdictOn(`${name}-cacert`, own)).toBe("missing");
  expect(foreign && verdictOn(name, foreign)).toBe("not-used");
});

test.each([
  "default",
  "ROOTCA",
  "invalid://",
  "invalid://a/b",
  "builtin://",
  "sds://x",
  "file-cert:a~b",
  "configmap://x",
])("no proxy gets a secret with the name %s", (name) => expect(verdictOn(name, push)).toBe("unknown-name"));

test("a rule names secrets for routers, and for the sidecars that it selects", () => {
  const tls = { mode: "mutual", credentialName: "shop" } as const;
  const policy = { ...emptyPolicy, tls: { ...emptyTls, ...tls } };
  const of = (selector: Record<string, string> | undefined) =>
    pushOf({ rules: [fakeRule({ namespace: "edge", selector, trafficPolicy: policy })], secrets });
  expect(verdictOn("kubernetes://shop", of(undefined))).toBe("served");
  expect(verdictOn("kubernetes://shop", of(undefined), sidecar)).toBe("not-used");
  expect(verdictOn("kubernetes://shop", of({ app: "edge" }), sidecar)).toBe("served");
  expect(verdictOn("kubernetes://shop", of({ app: "web" }), sidecar)).toBe("not-used");
});

const emptyTls = {
  clientCertificate: "",
  privateKey: "",
  caCertificates: "",
  caCrl: "",
  subjectAltNames: [],
  sni: "",
  insecureSkipVerify: false,
};
const emptyPolicy = {
  loadBalancer: undefined,
  connectionPool: undefined,
  outlierDetection: undefined,
  proxyProtocol: undefined,
  retryBudget: undefined,
  tunnel: undefined,
  ports: new Map(),
};

test("a Sidecar names the CA certificates of its ingress", () => {
  const ingress = {
    ...listener,
    tls: fakeServerTls({ mode: "mutual", caCredentialName: "kubernetes-gateway://edge/both" }),
  };
  const sidecars = [fakeSidecar({ namespace: "edge", ingress: [ingress] })];
  const names = secretClientOf(sidecar, pushOf({ sidecars })).used;
  expect(names).toEqual(["kubernetes-gateway://edge/both-cacert"]);
});

const listener = {
  port: { number: 80, name: "http", protocol: "HTTP" },
  bind: "",
  captureMode: "default",
  defaultEndpoint: "",
  connectionPool: undefined,
} as const;
