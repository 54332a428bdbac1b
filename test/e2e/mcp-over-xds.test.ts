import { afterAll, beforeAll, expect, test } from "vitest";
import { unobservedGalleys } from "../../src/app/mcp/remote-galleys.ts";
import { defaultOptions } from "../../src/app/options/options.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { parseSourceUrl } from "../../src/app/sources/source-url.ts";
import { xdsSource } from "../../src/app/sources/xds.ts";
import { kinds } from "../../src/config/kinds.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { SourceRecorder } from "../../src/testing/recording/source-recorder.ts";
import { clusterType, listenerType } from "../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { sidecarNode } from "./support/envoy/bootstrap.ts";
import { get } from "./support/http.ts";
import { Kube } from "./support/kube/kube.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { SotwClient } from "./support/xds/ads-client.ts";
import { Istiod } from "./support/xds/istiod.ts";
import { serviceYaml } from "./support/yaml.ts";

const describeWithIstiod = await describeWith("istiod", "kube");

const bound = { seconds: 30 };
const reviews = "outbound|80||reviews.shop.svc.cluster.local";
const reviewsV1 = "outbound|80|v1|reviews.shop.svc.cluster.local";
const ratings = "outbound|80||ratings.shop.svc.cluster.local";

function serviceEntry(name: string, address: string): string {
  return serviceYaml({ name, port: 80, endpoints: [{ address, port: 80, labels: { version: "v1" } }] });
}

/** Its host is short: as it stands, istiod would look for a service called \`reviews.shop\`. */
const subsets = `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: reviews, namespace: shop}
spec: {host: reviews, subsets: [{name: v1, labels: {version: v1}}]}
`;

function gateway(host: string): string {
  return `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: front, namespace: istio-system}
spec: {selector: {app: gw}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: [${host}]}]}
`;
}

const rolesYaml = `
apiVersion: rbac.istio.io/v1alpha1
kind: ClusterRbacConfig
metadata: {name: default}
spec: {mode: ON}
---
apiVersion: rbac.istio.io/v1alpha1
kind: ServiceRole
metadata: {name: reader, namespace: default}
spec: {rules: [{services: ["*"], methods: [GET]}]}
---
apiVersion: rbac.istio.io/v1alpha1
kind: ServiceRoleBinding
metadata: {name: readers, namespace: default}
spec: {subjects: [{user: "*"}], roleRef: {kind: ServiceRole, name: reader}}
`;

const allowYaml = `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: own, namespace: default}
spec: {rules: [{to: [{operation: {methods: [POST]}}]}]}
`;

/** The versions of what a server has been told, by kind and name. */
async function held({ httpPort }: BinnacleProcess): Promise<ReadonlyMap<string, string>> {
  const { body } = await get(httpPort, "/debug/configz");
  const collections = JSON.parse(body) as Record<string, { kind: string; key: string; version: string }[]>;
  const all = Object.values(collections).flat();
  return new Map(all.map(({ kind, key, version }) => [`${kind} ${key}`, version]));
}

describeWithIstiod("configuration over xDS", () => {
  const ours = new MeshDir({
    "reviews.yaml": serviceEntry("reviews", "10.1.1.1"),
    "ratings.yaml": serviceEntry("ratings", "10.1.1.2"),
    "subsets.yaml": subsets,
  });
  const theirs = new MeshDir({ "gateway.yaml": gateway("one.io") });
  let kube: Kube;
  let binnacle: BinnacleProcess;
  let istiod: Istiod;
  let proxy: SotwClient;

  beforeAll(async () => {
    [kube, binnacle] = await Promise.all([Kube.start(), startBinnacle({ dir: ours.path })]);
    istiod = await Istiod.start({
      kubeconfig: kube.kubeconfig("admin"),
      configSources: [`xds://127.0.0.1:${binnacle.xdsPort}`, `fs://${theirs.path}`],
    });
    await istiod.ready();
    proxy = new SotwClient(istiod.xdsPort, sidecarNode);
    proxy.subscribe(clusterType);
  });

  afterAll(async () => {
    proxy[Symbol.dispose]();
    await istiod[Symbol.asyncDispose]();
    await binnacle[Symbol.asyncDispose]();
    await kube[Symbol.asyncDispose]();
    ours[Symbol.dispose]();
    theirs[Symbol.dispose]();
  });

  /** The names of the clusters in the first response that is as it should be. */
  async function clusters(isRight: (names: readonly string[]) => boolean): Promise<readonly string[]> {
    for (;;) {
      const response = await proxy.next(clusterType, bound);
      proxy.ack(response);
      const text = response.resources.map(({ value }) => Buffer.from(value).toString("latin1")).join("\n");
      const names = [reviews, reviewsV1, ratings].filter((name) => text.includes(name));
      if (isRight(names)) return names;
    }
  }

  /** How often istiod has taken an answer of a type. */
  function taken(kind: string): number {
    return istiod.linesLike(new RegExp(`Received.*/${kind} count=`, "u")).length;
  }

  test("a real istiod serves clusters from our objects, also from those with short hosts", async () => {
    const names = await clusters((each) => each.includes(reviews));
    expect(names).toEqual([reviews, reviewsV1, ratings]);
  });

  test("istiod drops a deleted ServiceEntry, and accepts it again", async () => {
    ours.remove("ratings.yaml");
    expect(await clusters((names) => !names.includes(ratings))).toEqual([reviews, reviewsV1]);
    ours.write("ratings.yaml", serviceEntry("ratings", "10.1.1.2"));
    expect(await clusters((names) => names.includes(ratings))).toEqual([reviews, reviewsV1, ratings]);
  });

  test("istiod sees no change when we are killed and restarted unchanged", async () => {
    const before = { configs: await istiod.configs(), updates: await istiod.configUpdates() };
    expect(before.updates).toBeGreaterThan(0);
    const answers = taken("ServiceEntry");
    binnacle.kill("SIGKILL");
    await binnacle.exited;
    binnacle = await startBinnacle({ dir: ours.path, xdsPort: binnacle.xdsPort });
    await eventually("istiod back", () => taken("ServiceEntry") > answers, bound);
    const after = { configs: await istiod.configs(), updates: await istiod.configUpdates() };
    expect(after).toEqual(before);
    expect(proxy.stream.waiting(clusterType)).toBe(0);
    ours.write("ratings.yaml", serviceEntry("ratings", "10.1.1.3"));
    await eventually("an update", async () => (await istiod.configUpdates()) > before.updates, bound);
  });

  test("we mirror istiod's kinds, and find an edit that istiod does not push", async () => {
    using own = new MeshDir();
    const args = ["--source", `xds://127.0.0.1:${istiod.xdsPort}?resync=1s`];
    await using mirror = await startBinnacle({ dir: own.path, args });
    const gatewayOf = async () => (await held(mirror)).get("Gateway istio-system/front");
    const before = await eventually("a gateway", gatewayOf, bound);
    const ids = [...(await held(mirror)).keys()].filter((id) => !id.startsWith("MeshConfig"));
    expect(ids.toSorted()).toEqual([
      "DestinationRule shop/reviews",
      "Gateway istio-system/front",
      "ServiceEntry shop/ratings",
      "ServiceEntry shop/reviews",
    ]);
    theirs.write("gateway.yaml", gateway("two.io"));
    const isEdited = async () => ((await gatewayOf()) === before ? undefined : true);
    await eventually("the edit", isEdited, bound);
  });

  test("a user's own policy replaces one that another process converted from legacy roles", async () => {
    using legacy = new MeshDir({ "roles.yaml": rolesYaml });
    using own = new MeshDir();
    await using galley = await startBinnacle({ dir: legacy.path });
    await using pilot = await startBinnacle({ dir: own.path, args: ["--source", `xds://127.0.0.1:${galley.xdsPort}`] });
    const metadata = { ...sidecarNode.metadata, INTERCEPTION_MODE: "REDIRECT" };
    using sidecar = new SotwClient(pilot.xdsPort, { ...sidecarNode, metadata });
    sidecar.subscribe(listenerType);
    const policies = async () => {
      const response = await sidecar.next(listenerType, bound);
      sidecar.ack(response);
      const text = response.resources.map(({ value }) => Buffer.from(value).toString("latin1")).join("\n");
      return [...new Set(text.match(/policy\[[\w-]+\]/gu))].toSorted();
    };
    const converted = await policies();
    expect([converted.length > 0, converted.filter((name) => !name.startsWith("policy[legacy-"))]).toEqual([true, []]);
    own.write("allow.yaml", allowYaml);
    expect(await policies()).toEqual(["policy[own]"]);
    own.remove("allow.yaml");
    expect(await policies()).toEqual(converted);
  });

  test("we report the refusal of an istiod that requires authentication", async () => {
    await using strict = await Istiod.start({
      kubeconfig: kube.kubeconfig("admin"),
      configSources: [`fs://${theirs.path}`],
      env: { ENABLE_XDS_API_GENERATOR_AUTH: "true" },
    });
    await strict.ready();
    const heard = new SourceRecorder();
    const url = parseSourceUrl(`xds://127.0.0.1:${strict.xdsPort}`);
    const tools = { kinds, clock: systemClock, options: defaultOptions(), galleys: unobservedGalleys() };
    const source = xdsSource(url, tools);
    await source.start(heard.handler);
    const reason = await eventually(
      "a reason",
      () => heard.events.flatMap((event) => (event.type === "stale" ? event.reason : []))[0],
      bound,
    );
    await source.stop();
    expect(reason).toMatch(/UNAUTHENTICATED/);
  });
});
