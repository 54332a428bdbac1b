import { describe, expect, test } from "vitest";
import type { SourceEvent } from "../../galley/source/source.ts";
import type { KubeRequest } from "../../kube/kube-client.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { EntryChange, RegisteredWorkload } from "../../pilot/xds/workloads/workload-store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { until } from "../../testing/until.ts";
import { kubeLease } from "../kube/lease/kube-lease.ts";
import { KubeEntries } from "./kube-entries.ts";
import { entryText, registeredEntry } from "./registered-entry.ts";

const root = "/apis/networking.istio.io/v1";
const leases = "/apis/coordination.k8s.io/v1/namespaces/mesh/leases";
const ttlMs = 9_000;

interface Stored {
  metadata: Record<string, unknown> & { labels?: Record<string, string>; annotations?: Record<string, string> };
}

/** An API server that is a map. Every write needs the version that it replaces, if it names one. */
class MapApi {
  readonly objects = new Map<string, Stored>();
  refusal: KubeError | undefined;
  writes = 0;

  readonly json = async (request: KubeRequest): Promise<unknown> => {
    if (this.refusal !== undefined) throw this.refusal;
    const { method = "GET", path } = request;
    const found = this.objects.get(path);
    if (method === "GET") return request.answer === "list" ? this.#list(request) : (found ?? refuse(404));
    const body = (request.body ?? {}) as Stored & { preconditions?: { resourceVersion: string } };
    const version = body.preconditions?.resourceVersion ?? body.metadata?.["resourceVersion"];
    if (version !== undefined && version !== found?.metadata["resourceVersion"]) refuse(409);
    this.writes += 1;
    if (method === "DELETE") return this.objects.delete(path);
    const [, namespace = "", name = ""] = /namespaces\/([^/]+)\/[^/]+\/([^/]+)$/u.exec(path) ?? [];
    const key = method === "POST" ? `${path}/${String(body.metadata["name"])}` : path;
    const metadata = { namespace, name, ...body.metadata, resourceVersion: String(this.writes) };
    this.objects.set(key, { ...body, metadata });
    return {};
  };

  #list({ path, query = {} }: KubeRequest) {
    const plural = path.slice(path.lastIndexOf("/") + 1);
    const [label = "", value] = query["labelSelector"]?.split("=") ?? [];
    const items = [...this.objects].filter(([key]) => key.includes(`/${plural}/`)).map(([, stored]) => stored);
    return { items: items.filter(({ metadata }) => label === "" || metadata.labels?.[label] === value) };
  }

  get entries(): readonly string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith(root)).map((key) => key.replace(/.*\//u, ""));
  }

  leaseOf(name: string): string | undefined {
    return this.objects.get(`${root}/namespaces/shop/workloadentries/${name}`)?.metadata.labels?.[
      "binnacle.io/registration-lease"
    ];
  }
}

function refuse(code: number): never {
  throw new KubeError({ message: `refused with ${code}` }, { code });
}

const workload: RegisteredWorkload = {
  namespace: "shop",
  name: "vm-10.0.0.9",
  group: "vm",
  address: "10.0.0.9",
  labels: {},
  network: "",
  locality: "",
  health: "healthy",
  nodeId: "vm-1.shop",
};

/** Replicas with clocks of their own, so that one can stand still. */
async function replica(api: MapApi, name: string) {
  const clock = new FakeClock();
  const events: SourceEvent[] = [];
  const lease = `binnacle-registration-${name}`;
  const keeper = new KubeEntries({
    name: "registration",
    calls: api,
    closeCalls: () => {},
    rootOf: async () => root,
    lease: { namespace: "mesh", name: lease, store: kubeLease(api, { namespace: "mesh", name: lease }) },
    supervisor: new FailingParts(clock),
    now: () => new Date(clock.now()),
    ttlMs,
  });
  await keeper.start((more) => events.push(...more));
  const put = (change: EntryChange) => {
    const text = entryText(workload, {});
    keeper.put(registeredEntry(text, workload, "registration"), text, change);
  };
  /** Advances in steps, so that calls can resolve in between. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
    }
  };
  return { keeper, put, pass, events, lease };
}

describe("the entries of machines in Kubernetes", () => {
  test("name the Lease of the server that the machine connected to last", async () => {
    const api = new MapApi();
    const [a, b] = [await replica(api, "a"), await replica(api, "b")];
    a.put("connected");
    await until(() => api.leaseOf(workload.name) === a.lease);
    b.put("connected");
    await b.pass(500);
    expect(api.leaseOf(workload.name)).toBe(b.lease);
    // A late report, and the end of the old stream, change nothing.
    a.put("reported");
    await a.pass(1_000);
    a.keeper.remove("shop", workload.name);
    await a.pass(1_000);
    expect(api.leaseOf(workload.name)).toBe(b.lease);
    a.put("connected");
    await a.pass(1_000);
    expect(api.leaseOf(workload.name)).toBe(a.lease);
    a.keeper.remove("shop", workload.name);
    await a.pass(1_000);
    expect(api.entries).toEqual([]);
  });

  test("of a lost server are removed by another, with its Lease, after its whole time and not before", async () => {
    const api = new MapApi();
    const [lost, other] = [await replica(api, "lost"), await replica(api, "other")];
    lost.put("connected");
    await until(() => api.entries.length === 1);
    await other.pass(ttlMs);
    expect(api.entries).toEqual([workload.name]);
    await other.pass(ttlMs);
    expect([api.entries, api.objects.has(`${leases}/${lost.lease}`)]).toEqual([[], false]);
    // The server was only cut off: it writes its entries again.
    await lost.pass(2 * ttlMs);
    expect(api.entries).toEqual([workload.name]);
  });

  test("of a server that renews its Lease stay", async () => {
    const api = new MapApi();
    const [first, other] = [await replica(api, "first"), await replica(api, "other")];
    first.put("connected");
    for (let round = 0; round < 20; round += 1) {
      await first.pass(ttlMs / 3);
      await other.pass(ttlMs / 3);
    }
    expect(api.entries).toEqual([workload.name]);
  });

  test("that a person wrote lose only the health of a lost server", async () => {
    const api = new MapApi();
    const path = `${root}/namespaces/shop/workloadentries/ledger-1`;
    const metadata = { namespace: "shop", name: "ledger-1", resourceVersion: "0" };
    api.objects.set(path, { metadata });
    const [lost, other] = [await replica(api, "lost"), await replica(api, "other")];
    lost.keeper.report("shop", "ledger-1", "healthy", "connected");
    await until(() => api.leaseOf("ledger-1") === lost.lease);
    expect(api.objects.get(path)?.metadata.annotations).toMatchObject({ "binnacle.io/workload-health": "healthy" });
    await other.pass(2 * ttlMs);
    expect(api.objects.get(path)?.metadata).toMatchObject({
      labels: { "binnacle.io/registration-lease": null },
      annotations: { "binnacle.io/workload-health": null },
    });
  });

  test("stay in memory while the API server refuses them, and the source says why", async () => {
    const api = new MapApi();
    api.refusal = new KubeError({ message: "workloadentries is forbidden" }, { code: 403 });
    const { put, pass, events } = await replica(api, "a");
    put("connected");
    await until(() => events.some(({ type }) => type === "upserted"));
    expect(events.filter(({ type }) => type === "stale")).toEqual([
      { type: "stale", reason: expect.stringContaining("workloadentries is forbidden") },
    ]);
    api.refusal = undefined;
    await pass(10_000);
    expect(api.entries).toEqual([workload.name]);
    expect(events.map(({ type }) => type).slice(-2)).toEqual(["deleted", "fresh"]);
  });
});
