import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { EnvoyModel } from "../../../testing/envoy/envoy-model.ts";
import { readEnvoyResource } from "../../../testing/envoy/envoy-resources.ts";
import type { ReadResource } from "../../../testing/envoy/model-stream.ts";
import { FakeKube } from "../../../testing/server/fake-kube.ts";
import { grantLease, reply } from "../../../testing/server/kube-answers.ts";
import { definitions } from "../../../testing/server/kube-rig.ts";
import { passing, started, valuesOf, wiredServer } from "../../../testing/server/wired-server.ts";
import { turns } from "../../../testing/until.ts";

const routes = "/apis/networking.istio.io/v1/virtualservices";

/** A VirtualService whose Gateway nobody knows. */
function route(name: string, fields: object = {}) {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "VirtualService",
    metadata: { name, namespace: "shop" },
    spec: { hosts: ["a.example"], gateways: ["nowhere"], http: [{ redirect: { uri: "/b" } }], ...fields },
  };
}

interface Patch {
  readonly name: string;
  readonly codes: readonly string[];
}

/** The status in a PATCH. */
interface PatchedStatus {
  readonly conditions?: readonly { readonly type: string; readonly message?: string }[] | null;
}

/** A cluster whose Lease is free, and which keeps every status that is written to it. */
async function cluster() {
  const kube = await FakeKube.start([definitions, routes]);
  onTestFinished(() => kube[Symbol.asyncDispose]());
  const patches: Patch[] = [];
  const statuses: (PatchedStatus | null)[] = [];
  const failing = new Set<string>();
  const onObject = async (name: string, response: ServerResponse, request: IncomingMessage) => {
    const body = await text(request);
    const object = kube.objects(routes).find(({ metadata }) => metadata.name === name);
    if (object === undefined) return reply(response, 404, { kind: "Status", code: 404 });
    if (request.method === "GET") return reply(response, 200, object);
    if (failing.has(name)) return reply(response, 403, { kind: "Status", code: 403, message: "planted" });
    const messages: readonly { type: { code: string } }[] = JSON.parse(body).status?.validationMessages ?? [];
    statuses.push(JSON.parse(body).status);
    patches.push({ name, codes: messages.map(({ type }) => type.code) });
    return reply(response, 200, { ...object, ...JSON.parse(body) });
  };
  kube.fault = ({ path }) => {
    if (path.includes("/leases")) return { type: "answer", answer: (...args) => void grantLease(...args) };
    const [, name] = /\/virtualservices\/([^/]+)/u.exec(path) ?? [];
    if (name === undefined) return undefined;
    return { type: "answer", answer: (...args) => void onObject(name, ...args) };
  };
  return { kube, patches, statuses, failing };
}

async function serving({ kube }: Pick<Awaited<ReturnType<typeof cluster>>, "kube">, quarantine = false) {
  const settings = { analysisStatus: true, sources: ["kube:"], kubeconfig: kube.kubeconfig(), quarantine };
  return await started(wiredServer(settings));
}

/** Many more than any test needs: the cluster answers over a real socket. */
const mostRounds = 1_000_000;

/** Lets time pass until a condition holds. */
async function passed({ clock }: Awaited<ReturnType<typeof serving>>, condition: () => boolean): Promise<void> {
  for (let round = 0; !condition(); round += 1) {
    if (round === mostRounds) throw new Error("the condition never holds");
    clock.advance(100);
    await turns(1);
  }
}

test("findings in objects of the cluster are written to their status, those of other sources are not", async () => {
  const { kube, patches } = await cluster();
  kube.put(routes, route("lost"));
  const server = await serving({ kube });
  server.source.apply(JSON.stringify(route("other")));
  await passed(server, () => patches.length > 0);
  expect(patches).toEqual([{ name: "lost", codes: ["IST0101", "IST0132"] }]);
  const writes = () => valuesOf(server.metrics, "binnacle_status_writes_total");
  while ((await writes()).length === 0) await turns(1);
  expect(await writes()).toEqual(['{result="written"} 1']);
  expect(kube.requests.filter(({ path }) => path.includes("/virtualservices/other"))).toEqual([]);
});

test("an object that cannot be read gets its own errors, as soon as it comes", async () => {
  const { kube, patches } = await cluster();
  const server = await serving({ kube });
  await passed(server, () => kube.requests.some(({ path }) => path.includes("/leases")));
  server.clock.advance(60_000);
  await turns(50);
  kube.put(routes, route("broken", { http: [{ redirect: { redirectCode: "many" } }] }));
  await passed(server, () => patches.length > 0);
  expect(patches).toEqual([{ name: "broken", codes: [expect.stringMatching(/^IST/u)] }]);
});

test("a status that cannot be written is a line of the log, with the object", async () => {
  const { kube, failing } = await cluster();
  failing.add("lost");
  kube.put(routes, route("lost"));
  const server = await serving({ kube });
  const failures = () =>
    server.logger.lines.filter(({ level, fields }) => level === "warn" && "object" in fields && "reason" in fields);
  await passed(server, () => failures().length > 0);
  expect(failures()[0]?.fields).toMatchObject({ scope: "source", source: "kube:", reason: "planted" });
  expect(JSON.stringify(failures()[0]?.fields)).toContain("lost");
});

test("nothing is written after the server has stopped", async () => {
  const { kube, patches } = await cluster();
  const server = await serving({ kube });
  kube.put(routes, route("lost"));
  await passed(
    server,
    () => (server.processor.outputs.get("istio/networking/v1alpha3/virtualservices")?.size ?? 0) > 0,
  );
  await passing(server.clock, server.lifecycle.stop());
  server.clock.advance(60_000);
  await turns(50);
  expect(patches).toEqual([]);
});

/** Refuses resources that contain the word. */
const readPoisoned: ReadResource = (typeUrl, value) => {
  const { name, content } = readEnvoyResource(typeUrl, value);
  return { name, content: { ...content, ...(Buffer.from(value).includes("poison") && { poison: "inapplicable" }) } };
};

test("an object that proxies refuse gets a condition beside those of others, until it is mended", async () => {
  const { kube, statuses } = await cluster();
  const gateways = { gateways: ["public"] };
  const reconciled = { type: "Reconciled", status: "True" };
  const put = (uri: string, conditions: readonly object[]) =>
    kube.put(routes, { ...route("a", { ...gateways, http: [{ redirect: { uri } }] }), status: { conditions } });
  put("/poison", [reconciled]);
  const server = await serving({ kube }, true);
  const servers = [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }];
  const metadata = { name: "public", namespace: "shop" };
  const spec = { selector: { app: "gw" }, servers };
  server.source.apply(JSON.stringify({ apiVersion: "networking.istio.io/v1", kind: "Gateway", metadata, spec }));
  const nodeId = "router~10.0.0.1~gw-0.shop~shop.svc.cluster.local";
  const envoy = new EnvoyModel("delta", readPoisoned, { nodeId, metadata: { LABELS: { app: "gw" } } });
  envoy.connect(server.discovery);
  const until = (condition: () => boolean) =>
    passed(server, () => {
      envoy.step();
      return condition();
    });
  await until(() => statuses.some((status) => status?.conditions?.length === 2));
  const [first, ours] = statuses.at(-1)?.conditions ?? [];
  expect(first).toEqual(reconciled);
  expect(ours).toEqual({
    type: "Quarantined",
    status: "True",
    reason: "RefusedByProxies",
    message: expect.stringMatching(/^router .* \(1 proxy\) refuses it since .*, and gets nothing: no to http\.80$/u),
    lastTransitionTime: expect.stringMatching(/Z$/u),
  });
  put("/good", [reconciled, ours ?? {}]);
  await until(() => statuses.at(-1)?.conditions?.length === 1);
  expect(statuses.at(-1)).toEqual({ validationMessages: null, conditions: [reconciled] });
});
