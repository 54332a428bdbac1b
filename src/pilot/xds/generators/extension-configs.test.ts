import { expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { fakeCredential } from "../../../testing/model/fake-credential.ts";
import { fakeExtension, fakeModule } from "../../../testing/model/fake-extension.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import { pushOf } from "../../../testing/model/push.ts";
import type { Credential } from "../../model/credential/credential.ts";
import type { Extension } from "../../model/policy/extension.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { partId } from "../generator.ts";
import { extensionConfigs } from "./extension-configs.ts";

const family = extensionConfigs(new ProtoWriter());

function sidecar(app: string, metadata: object = {}): Proxy {
  return proxyWithName(`sidecar~10.0.0.1~${app}-0.shop~shop.svc.cluster.local`, {
    NAMESPACE: "shop",
    LABELS: { app },
    ...metadata,
  });
}

function partOf(proxy: Proxy, extensions: readonly Extension[], secrets: readonly Credential[] = []) {
  const push = pushOf({ extensions, secrets });
  const [inputs] = family.parts(proxy, push, "all");
  if (inputs === undefined) throw new Error("an Envoy has a part");
  return { inputs, push };
}

function namesFor(proxy: Proxy, extensions: readonly Extension[]): readonly string[] {
  return family.generate(partOf(proxy, extensions)).resources.map(({ name }) => name);
}

const root = fakeExtension("root", { namespace: "istio-system" });
const reviews = fakeExtension("reviews", { selector: { app: "reviews" } });
const elsewhere = fakeExtension("elsewhere", { namespace: "other" });
const script = fakeExtension("script", { filter: { type: "lua", code: "-- a" } });

test("a proxy gets exactly the extensions that apply to it", () => {
  const all = [root, reviews, elsewhere, script];
  expect(namesFor(sidecar("reviews"), all)).toEqual([root.resourceName, reviews.resourceName]);
  expect(namesFor(sidecar("ratings"), all)).toEqual([root.resourceName]);
});

function idOf(proxy: Proxy, extension = root): string {
  return partId(partOf(proxy, [extension]).inputs);
}

test("proxies with the same extensions share a part, unless only one of them has an agent", () => {
  expect(idOf(sidecar("reviews"))).toBe(idOf(sidecar("ratings")));
  expect(idOf(sidecar("reviews", { SDS_MODE: "none" }))).not.toBe(idOf(sidecar("reviews")));
});

test("a proxyless client has no extensions", () => {
  expect(family.parts(sidecar("reviews", { GENERATOR: "grpc" }), pushOf({ extensions: [root] }), "all")).toEqual([]);
});

test("extensions of other namespaces do not concern a part", () => {
  const { inputs, push } = partOf(sidecar("reviews"), [root]);
  const dependsOn = family.dependencies(inputs, push);
  const namespaces = ["shop", "istio-system", "other"].map((each) => dependsOn(configId("Extension", each, "a")));
  expect(namespaces).toEqual([true, true, false]);
});

const remote = fakeModule({ code: { type: "remote", url: "oci://hub.example.com/one", sha256: "" } });

test.each<[string, Extension, Partial<Proxy>, string]>([
  [
    "that lists its extensions without Wasm",
    root,
    { extensions: new Set(["envoy.extensions.filters.http.router.v3.Router"]) },
    "the proxy was built without the Wasm filter, so it rejects all traffic",
  ],
  [
    "that lists its extensions without Lua",
    script,
    { extensions: new Set(["envoy.extensions.filters.http.router.v3.Router"]) },
    "the proxy was built without the Lua filter, so it rejects all traffic",
  ],
  [
    "without an agent that would fetch a remote module",
    fakeExtension("one", { filter: { ...remote, failStrategy: "open" } }),
    { certificates: { type: "none" } },
    "the proxy has no agent to fetch the module, so it passes all traffic unchecked (FAIL_OPEN)",
  ],
])("an extension is reported for a proxy %s", (_, extension, facts, reason) => {
  const { inputs, push } = partOf({ ...sidecar("reviews"), ...facts }, [extension]);
  expect(family.conflicts?.(inputs, push)).toEqual([
    { type: "extension", about: extension.resourceName, winner: undefined, losers: [extension.owner], reason },
  ]);
});

test("an extension that the proxy runs is not reported", () => {
  const { inputs, push } = partOf(sidecar("reviews"), [root, script, fakeExtension("one", { filter: remote })]);
  expect(family.conflicts?.(inputs, push)).toEqual([]);
});

const login = '{"auths":{"hub.example.com":{"auth":"aHVudGVyMg=="}}}';
const secret = configId("Secret", "shop", "regcred");
const pulled = fakeExtension("pulled", { filter: { ...remote, pull: { ...remote.pull, secret } } });
const authenticated: Proxy = { ...sidecar("reviews"), keyAccess: "allowed" };

/** The bytes of the resources, as text. */
function sentTo(proxy: Proxy, credentials: readonly Credential[], extension = pulled): string {
  const { resources } = family.generate(partOf(proxy, [extension], credentials));
  return resources.map(({ entry }) => Buffer.from(entry).toString("latin1")).join();
}

function problemOf(proxy: Proxy, credentials: readonly Credential[]): string | undefined {
  const { inputs, push } = partOf(proxy, [pulled], credentials);
  return family.conflicts?.(inputs, push)[0]?.reason;
}

const regcred = fakeCredential("shop/regcred", { pullConfig: login });

test("only an authenticated proxy with an agent gets the pull secret of its extension", () => {
  expect(sentTo(authenticated, [regcred])).toContain(login);
  const others: readonly (readonly [Proxy, Credential])[] = [
    [{ ...authenticated, keyAccess: "not-encrypted" }, regcred],
    [{ ...authenticated, keyAccess: "not-authenticated" }, regcred],
    [sidecar("reviews"), regcred],
    [{ ...authenticated, certificates: { type: "none" } }, regcred],
    [authenticated, fakeCredential("other/regcred", { pullConfig: login })],
    [authenticated, fakeCredential("shop/other", { pullConfig: login })],
  ];
  for (const [proxy, credential] of others) expect(sentTo(proxy, [credential])).not.toContain('hub.example.com"');
});

test("a module from a file gets no pull secret, which it could read", () => {
  const filter = fakeModule({ pull: { policy: undefined, secret, version: "" } });
  const sent = sentTo(authenticated, [regcred], fakeExtension("pulled", { filter }));
  expect([sent.includes("/opt/one.wasm"), sent.includes("PULL_SECRET")]).toEqual([true, false]);
});

test("an extension without its pull secret is reported, with the Secret or the cause", () => {
  expect(problemOf(authenticated, [regcred])).toBeUndefined();
  for (const credentials of [[], [fakeCredential("shop/regcred", { certificate: "one" })]]) {
    expect(problemOf(authenticated, credentials)).toBe(
      "there is no Secret shop/regcred of type kubernetes.io/dockerconfigjson to fetch the module with, so it rejects all traffic",
    );
  }
  expect(problemOf({ ...authenticated, keyAccess: "not-encrypted" }, [regcred])).toBe(
    "the proxy gets no pull secret: secrets are sent over TLS only, and this stream is plaintext, so it rejects all traffic",
  );
});

test("proxies share a part whether they may have secrets or not, unless an extension has one", () => {
  const plain: Proxy = { ...authenticated, keyAccess: "not-encrypted" };
  expect(idOf(plain)).toBe(idOf(authenticated));
  expect(idOf(plain, pulled)).not.toBe(idOf(authenticated, pulled));
});

test("exactly the pull secrets of its extensions concern a part", () => {
  const { inputs, push } = partOf(authenticated, [root, pulled]);
  const dependsOn = family.dependencies(inputs, push);
  expect(dependsOn(secret)).toBe(true);
  expect(dependsOn(configId("Secret", "shop", "other"))).toBe(false);
  expect(dependsOn(configId("Secret", "istio-system", "regcred"))).toBe(false);
});
