import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { eventually } from "../../src/testing/eventually.ts";
import { istioData } from "../../src/testing/shared-data.ts";
import { binnacle } from "./support/binnacle/command.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { sidecarNode } from "./support/envoy/bootstrap.ts";
import { get } from "./support/http.ts";
import { Kube } from "./support/kube/kube.ts";
import {
  apply,
  bookinfo,
  endPod,
  endpointsBecome,
  podOf,
  port,
  runPod,
  versionsOfReviews,
} from "./support/kube/kube-bookinfo.ts";
import { openDefinition } from "./support/kube/kube-objects.ts";
import { readerRole } from "./support/kube/kube-roles.ts";
import { KubeWatcher } from "./support/kube/kube-watcher.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { atScale } from "./support/scale.ts";
import { configOf } from "./support/xds/held-config.ts";

const describeWithKube = await describeWith("kube");

/** How long the API server is down. */
const outageSeconds = atScale({ quick: 10, whole: 60 });
const reviews = "reviews.bookinfo.svc.cluster.local";

/** Istio's own CRDs with their schemas where available. Otherwise CRDs that accept anything. */
function definitions(): readonly object[] {
  const file = join(istioData, "crds/istio-crds.yaml");
  if (existsSync(file))
    return parseAllDocuments(readFileSync(file, "utf8")).map((document) => document.toJS() as object);
  const kinds = { VirtualService: "virtualservices", DestinationRule: "destinationrules" };
  return Object.entries(kinds).map(([kind, plural]) => openDefinition({ kind, plural }));
}

interface World {
  readonly kube: Kube;
  readonly binnacle: BinnacleProcess;
  readonly watcher: KubeWatcher;
}

async function openWorld(resources: AsyncDisposableStack): Promise<World> {
  const kube = resources.use(await Kube.start({ controllers: true }));
  await apply(kube, [...bookinfo(), ...readerRole()]);
  await runPod(kube, podOf("reviews-v1", "10.1.0.1"));
  const args = ["--source", "kube:", "--kubeconfig", kube.kubeconfig("mesh")];
  const binnacle = resources.use(await startBinnacle({ dir: resources.use(new MeshDir()).path, args }));
  return { kube, binnacle, watcher: resources.use(await KubeWatcher.connect(binnacle.xdsPort)) };
}

describeWithKube("a mesh on Kubernetes", () => {
  const resources = new AsyncDisposableStack();
  let world: World;

  beforeAll(async () => {
    world = await openWorld(resources);
  });

  afterAll(() => resources.disposeAsync());

  /** The addresses of the reviews that a new proxy receives. */
  async function addresses(): Promise<readonly string[]> {
    const { endpoints } = await configOf(sidecarNode, world.binnacle.xdsPort, [`${port}`]);
    const assignment = endpoints.find(({ clusterName }) => clusterName === `outbound|${port}||${reviews}`);
    const all = assignment?.endpoints.flatMap(({ lbEndpoints }) => lbEndpoints) ?? [];
    return all.map(({ hostIdentifier }) => addressIn(hostIdentifier.value)).toSorted();
  }

  async function reach(...expected: readonly string[]): Promise<void> {
    await endpointsBecome(world.kube, "reviews", expected);
    const isSo = async () => same(await addresses(), expected);
    await eventually(`${expected.join(", ")} are served`, isSo, { seconds: 40 });
  }

  /** The reason why the source is stale. "" while it is fresh. */
  async function staleness(): Promise<string> {
    const { body } = await get(world.binnacle.httpPort, "/debug/issues");
    const { sources } = JSON.parse(body) as { readonly sources: readonly { name: string; stale?: string }[] };
    return sources.find(({ name }) => name === "kube:")?.stale ?? "";
  }

  const becomesStale = (why: string) =>
    eventually(`stale: ${why}`, async () => (await staleness()).includes(why), { seconds: 60 });
  const becomesFresh = () => eventually("fresh", async () => (await staleness()) === "", { seconds: 60 });

  test("serves services with their ready pods, and follows their changes", async () => {
    const { kube, watcher } = world;
    await reach("10.1.0.1");
    const before = watcher.responses;
    await runPod(kube, podOf("reviews-v2", "10.1.0.2"));
    await runPod(kube, podOf("reviews-v3", "10.1.0.3"));
    await reach("10.1.0.1", "10.1.0.2", "10.1.0.3");
    await endPod(kube, "reviews-v3");
    await reach("10.1.0.1", "10.1.0.2");
    // Only endpoints have changed, so only EDS was pushed.
    expect({ ...watcher.responses, EDS: 0 }).toEqual({ ...before, EDS: 0 });
  });

  test("follows kinds that are defined after the start", async () => {
    const { kube, watcher } = world;
    const before = watcher.responses;
    await kube.define(definitions());
    await apply(kube, versionsOfReviews("v1"));
    await watcher.until("there are versions", () => watcher.hold("EDS", `outbound|${port}|v2|${reviews}`));
    await watcher.until("both proxies have routes to them", () => watcher.responses.RDS === before.RDS + 2);
    expect(watcher.complaints).toEqual([]);
  });

  test(`pushes nothing while its API server is down for ${outageSeconds} s, and loses nothing`, async () => {
    const { kube, watcher } = world;
    const before = { responses: watcher.responses, holdings: watcher.holdings };
    await kube.stopServer("SIGKILL");
    await becomesStale("the API server cannot be reached");
    // Long enough for several attempts to reconnect, each of which could push too much.
    await pause(outageSeconds * 1000);
    await kube.compact();
    await kube.startServer();
    await becomesFresh();
    expect({ responses: watcher.responses, holdings: watcher.holdings }).toEqual(before);
    await runPod(kube, podOf("reviews-v3", "10.1.0.3"));
    await reach("10.1.0.1", "10.1.0.2", "10.1.0.3");
    expect(watcher.complaints).toEqual([]);
  });

  test("finds out what happened during an outage with lost history, and pushes only that", async () => {
    const { kube, watcher, binnacle } = world;
    const before = watcher.responses;
    binnacle.kill("SIGSTOP");
    await endPod(kube, "reviews-v1");
    await kube.kubectl(["delete", "service", "ratings", "--namespace=bookinfo"]);
    await kube.stopServer("SIGKILL");
    await kube.compact();
    await kube.startServer();
    binnacle.kill("SIGCONT");
    await reach("10.1.0.2", "10.1.0.3");
    const ratings = `outbound|${port}||ratings.bookinfo.svc.cluster.local`;
    await watcher.until("the ratings are gone", () => !watcher.hold("CDS", ratings));
    await becomesFresh();
    expect(watcher.hold("CDS", `outbound|${port}|v2|${reviews}`)).toBe(true);
    // Both proxies got one CDS response.
    expect(watcher.responses.CDS - before.CDS).toBe(2);
  });

  test("names a kind without read permission, keeps its objects, and follows the other kinds", async () => {
    const { kube, watcher } = world;
    await apply(kube, readerRole("virtualservices"));
    const before = watcher.responses;
    // Open watches stay open: the API server checks permissions when a watch begins.
    await kube.stopServer("SIGKILL");
    await kube.startServer();
    await becomesStale("not allowed to list and watch (virtualservices.networking.istio.io)");
    expect(watcher.responses).toEqual(before);
    await runPod(kube, podOf("reviews-v1", "10.1.0.1"));
    await reach("10.1.0.1", "10.1.0.2", "10.1.0.3");
    await expect(refusedFromTheStart(kube)).resolves.toContain(
      'resources: ["virtualservices"], verbs: ["list", "watch"]',
    );
    await apply(kube, readerRole());
    await becomesFresh();
    await apply(kube, versionsOfReviews("v1", "v2"));
    await watcher.until("routes follow again", () => watcher.responses.RDS > before.RDS);
  });
});

/** The report of a server that may not read a kind, and so never becomes ready. */
async function refusedFromTheStart(kube: Kube): Promise<string> {
  using nothing = new MeshDir();
  const listeners = ["--xds", "127.0.0.1:0", "--http", "127.0.0.1:0", "--metrics", "off", "--ctrlz", "off"];
  const source = ["--source", "kube:", "--kubeconfig", kube.kubeconfig("mesh")];
  await using child = binnacle(["serve", nothing.path, ...listeners, ...source]);
  const line = await child.logged(/cannot (?:list|watch) resource .*virtualservices/u, { seconds: 60 });
  return line.replaceAll('\\"', '"');
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.join() === b.join();
}

function addressIn(endpoint: unknown): string {
  const { address } = endpoint as { address?: { address?: { value?: { address?: string } } } };
  return address?.address?.value?.address ?? "";
}
