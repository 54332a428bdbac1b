import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { grantOurRights } from "./support/kube/cluster-role.ts";
import { Kube } from "./support/kube/kube.ts";
import { statusDefinition } from "./support/kube/status-definition.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { metric } from "./support/metrics.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeWithKube = await describeWith("kube");
const patience = { seconds: 30 };
const path = (plural: string) => `/apis/networking.istio.io/v1/namespaces/default/${plural}`;
const virtualServices = path("virtualservices");
const gateways = path("gateways");

interface Status {
  readonly validationMessages?: readonly Readonly<Record<string, unknown>>[];
  readonly conditions?: unknown;
}

/** The findings about a route with a missing gateway. */
const lost = ["IST0101", "IST0132"];

/** A route for a gateway, by default for a missing one. */
function route(name: string, gateway = "missing") {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "VirtualService",
    metadata: { name },
    spec: {
      hosts: [`${name}.example`],
      gateways: [`default/${gateway}`],
      http: [{ redirect: { uri: "/" } }],
    },
  };
}

function gateway(name: string) {
  const servers = [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }];
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "Gateway",
    metadata: { name },
    spec: { selector: { app: "gw" }, servers },
  };
}

async function cluster(resources: AsyncDisposableStack): Promise<Kube> {
  const kube = resources.use(await Kube.start());
  const definitions = [
    statusDefinition({ kind: "VirtualService", plural: "virtualservices" }, "typed"),
    statusDefinition({ kind: "Gateway", plural: "gateways" }, "open"),
  ];
  for (const definition of definitions) {
    await kube.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  }
  for (const kinds of [virtualServices, gateways]) {
    const isServed = async () => (await kube.call("GET", kinds)).status === 200;
    await eventually("the kinds", isServed, patience);
  }
  await grantOurRights(kube, "default");
  return kube;
}

function serve(kube: Kube, mesh: MeshDir): Promise<BinnacleProcess> {
  const args = ["--source", "kube:", "--kubeconfig", kube.kubeconfig("mesh"), "--analysis-status"];
  return startBinnacle({ dir: mesh.path, args });
}

async function statusOf(kube: Kube, object: string): Promise<Status> {
  const { status = {} } = (await kube.call("GET", object)).body as { readonly status?: Status };
  return status;
}

function writesBy({ metricsPort }: BinnacleProcess): Promise<number> {
  return metric(metricsPort, "binnacle_status_writes_total", '"written"');
}

function codesIn({ validationMessages = [] }: Status): readonly unknown[] {
  return validationMessages.map(({ type }) => (type as { readonly code: string }).code);
}

function untilSaid(kube: Kube, object: string, codes: readonly string[]): Promise<Status> {
  const said = async () => {
    const status = await statusOf(kube, object);
    expect(codesIn(status)).toEqual(codes);
    return status;
  };
  return eventually(`what ${object} says`, said, patience);
}

describeWithKube("the analysis of a cluster", () => {
  const rig = shared(async (resources) => {
    const kube = await cluster(resources);
    const mesh = resources.use(new MeshDir());
    return { kube, mesh, binnacle: resources.use(await serve(kube, mesh)) };
  });

  test("is written into the objects, and removed when they are fixed", async () => {
    const { kube } = rig();
    await kube.call("POST", virtualServices, route("lost"));
    const { validationMessages } = await untilSaid(kube, `${virtualServices}/lost`, lost);
    const pages = "https://istio.io/latest/docs/reference/config/analysis";
    expect(validationMessages).toEqual([
      {
        type: { code: "IST0101", name: "ReferencedResourceNotFound" },
        level: "ERROR",
        documentationUrl: `${pages}/ist0101/?ref=status-controller`,
      },
      {
        type: { code: "IST0132", name: "VirtualServiceHostNotFoundInGateway" },
        level: "WARNING",
        documentationUrl: `${pages}/ist0132/?ref=status-controller`,
      },
    ]);
    const { metadata } = (await kube.call("GET", `${virtualServices}/lost`)).body as {
      readonly metadata: { readonly managedFields: readonly object[] };
    };
    expect(metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: "binnacle", operation: "Update", subresource: "status" }),
    );
    await kube.call("POST", gateways, gateway("missing"));
    await untilSaid(kube, `${virtualServices}/lost`, []);
    const { body } = await kube.call("GET", `${virtualServices}/lost`);
    expect("status" in body).toBe(false);
    await kube.call("DELETE", `${gateways}/missing`);
    await untilSaid(kube, `${virtualServices}/lost`, lost);
  });

  test("has its text where the CRD has a field for it", async () => {
    const { kube } = rig();
    await kube.call("POST", gateways, { ...gateway("broken"), spec: { servers: [{ hosts: ["a.example"] }] } });
    const { validationMessages } = await untilSaid(kube, `${gateways}/broken`, ["IST0106"]);
    expect(validationMessages?.[0]?.["message"]).toContain("spec.servers[0].port: a server needs a port");
  });

  test("keeps the status entries of others", async () => {
    const { kube } = rig();
    const conditions = [{ type: "Reconciled", status: "True" }];
    const object = `${virtualServices}/shared`;
    await kube.call("POST", virtualServices, route("shared"));
    await untilSaid(kube, object, lost);
    const merge = "application/merge-patch+json";
    await kube.call("PATCH", `${object}/status`, { status: { conditions } }, merge);
    await kube.call("PATCH", object, { spec: route("shared", "there").spec }, merge);
    await kube.call("POST", gateways, gateway("there"));
    await untilSaid(kube, object, []);
    expect(await statusOf(kube, object)).toEqual({ conditions });
  });

  test("causes no analysis and no push by being written", async () => {
    const { kube, binnacle } = rig();
    const counts = async () => ({
      analyses: await metric(binnacle.metricsPort, "binnacle_analyses_total"),
      updates: await metric(binnacle.metricsPort, "pilot_inbound_updates"),
      written: await metric(binnacle.metricsPort, "binnacle_status_writes_total", '"written"'),
    });
    const before = await counts();
    await kube.call("POST", virtualServices, route("first"));
    await untilSaid(kube, `${virtualServices}/first`, lost);
    // The status arrived before this object, over the same watch.
    await kube.call("POST", virtualServices, route("second"));
    await untilSaid(kube, `${virtualServices}/second`, lost);
    const { analyses, updates, written } = before;
    expect(await counts()).toEqual({ analyses: analyses + 2, updates: updates + 2, written: written + 2 });
  });

  test("is written by the leader, and by another process when the leader stops or is killed", async () => {
    const { kube, mesh, binnacle } = rig();
    const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/binnacle-analysis";
    const holder = async () => {
      const { spec } = (await kube.call("GET", lease)).body as { readonly spec: { readonly holderIdentity: string } };
      return spec.holderIdentity;
    };
    const untilAnother = (than: string) =>
      eventually(
        "another leader",
        async () => {
          const now = await holder();
          return now === "" || now === than ? undefined : now;
        },
        patience,
      );
    const first = await holder();
    await using second = await serve(kube, mesh);
    await kube.call("POST", virtualServices, route("of-the-first"));
    await untilSaid(kube, `${virtualServices}/of-the-first`, lost);
    expect([await holder(), await writesBy(second)]).toEqual([first, 0]);

    await binnacle.stop();
    const successor = await untilAnother(first);
    await kube.call("POST", virtualServices, route("of-the-second"));
    await untilSaid(kube, `${virtualServices}/of-the-second`, lost);
    expect(await writesBy(second)).toBe(1);

    await using third = await serve(kube, mesh);
    second.kill("SIGKILL");
    await untilAnother(successor);
    await kube.call("POST", virtualServices, route("of-the-third"));
    await untilSaid(kube, `${virtualServices}/of-the-third`, lost);
    expect(await writesBy(third)).toBe(1);
  });
});
