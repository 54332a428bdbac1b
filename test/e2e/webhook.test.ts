import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { eventually } from "../../src/testing/eventually.ts";
import { describeWithData, istioData } from "../../src/testing/shared-data.ts";
import { Kube } from "./support/kube/kube.ts";
import { openDefinition, type TestKubeObject } from "./support/kube/kube-objects.ts";
import { register, WebhookProcess } from "./support/kube/kube-webhook.ts";
import { goodGateway, reviewOf, WebhookClient } from "./support/kube/webhook-client.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { TestAuthority } from "./support/tls/certificates.ts";

const describeWithKube = await describeWith("kube");
const patience = { seconds: 60 };

const path = (plural: string, version = "v1") => `/apis/networking.istio.io/${version}/namespaces/default/${plural}`;
const gateways = path("gateways");
const refusal = 'admission webhook "validation.binnacle.test" denied the request: ';

function brokenGateway(name: string) {
  const server = { port: { number: 80, name: "http", protocol: "HTTP" }, hosts: [] };
  return { ...goodGateway(name), spec: { servers: [server, { hosts: ["shop.example"] }] } };
}

function misspeltGateway(name: string) {
  return { ...goodGateway(name), spec: { ...goodGateway().spec, selctor: {} } };
}

/** A cluster that knows some kinds and asks the webhook about them. */
async function cluster(resources: AsyncDisposableStack, define: (kube: Kube) => Promise<void>) {
  const authority = resources.use(await TestAuthority.create());
  const webhook = resources.use(await WebhookProcess.start(authority));
  const kube = resources.use(await Kube.start());
  await define(kube);
  const isServed = async () => (await kube.call("GET", gateways)).status === 200;
  await eventually("the kinds", isServed, patience);
  await register(webhook, kube);
  return { authority, webhook, kube };
}

async function defineOpenKinds(kube: Kube): Promise<void> {
  const kinds = [
    { kind: "Gateway", plural: "gateways" },
    { kind: "VirtualService", plural: "virtualservices" },
  ];
  for (const names of kinds) {
    await kube.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", openDefinition(names));
  }
}

describeWithKube("the webhook of a cluster", () => {
  const rig = shared((resources) => cluster(resources, defineOpenKinds));

  test("good objects pass, over HTTP and with kubectl", async () => {
    const { kube } = rig();
    expect((await kube.call("POST", gateways, goodGateway("posted"))).status).toBe(201);
    const virtualService = {
      apiVersion: "networking.istio.io/v1",
      kind: "VirtualService",
      metadata: { name: "applied", namespace: "default" },
      spec: { hosts: ["reviews"], http: [{ route: [{ destination: { host: "reviews" } }] }] },
    };
    expect(await kube.kubectl(["apply", "-f", "{file}"], [goodGateway("applied"), virtualService])).toEqual({
      code: 0,
      output: "gateway.networking.istio.io/applied created\nvirtualservice.networking.istio.io/applied created",
    });
  });

  test("bad objects are rejected over HTTP, with every mistake and its field", async () => {
    const { status, body } = await rig().kube.call("POST", gateways, brokenGateway("posted-badly"));
    expect(status).toBe(422);
    expect(String(body["message"]).split("\n")).toEqual([
      `${refusal}Gateway default/posted-badly has 2 errors:`,
      "- spec.servers[0].hosts: a server needs a host",
      "- spec.servers[1].port: a server needs a port",
    ]);
  });

  test("kubectl shows the same text, and stores nothing", async () => {
    const { kube } = rig();
    const { code, output } = await kube.kubectl(["apply", "-f", "{file}"], [brokenGateway("applied-badly")]);
    expect(code).toBe(1);
    expect(output).toContain(`${refusal}Gateway default/applied-badly has 2 errors:`);
    expect(output.split("\n")).toContain("- spec.servers[0].hosts: a server needs a host");
    expect((await kube.call("GET", `${gateways}/applied-badly`)).status).toBe(404);
  });

  test("an object cannot be broken later, either", async () => {
    const { kube } = rig();
    const { body } = await kube.call("POST", gateways, goodGateway("edited"));
    const edited = { ...body, spec: {} };
    const answer = await kube.call("PUT", `${gateways}/edited`, edited);
    expect(answer.body["message"]).toBe(
      `${refusal}Gateway default/edited is not valid: spec.servers: a Gateway needs a server`,
    );
    expect((await kube.call("GET", `${gateways}/edited`)).body["spec"]).toEqual(goodGateway().spec);
  });

  test("a misspelt field is rejected with a suggestion", async () => {
    const { kube } = rig();
    const reason = 'spec.selctor: Gateway has no field "selctor"; did you mean "selector"?';
    const posted = await kube.call("POST", gateways, misspeltGateway("misspelt"));
    expect([posted.status, posted.body["message"]]).toEqual([422, expect.stringContaining(reason)]);
    const applied = await kube.kubectl(["apply", "-f", "{file}"], [misspeltGateway("misspelt-too")]);
    expect([applied.code, applied.output]).toEqual([1, expect.stringContaining(reason)]);
  });

  test("a dry run is validated, and leaves nothing behind", async () => {
    const { kube } = rig();
    const dryRun = ["apply", "--dry-run=server", "-f", "{file}"];
    expect((await kube.kubectl(dryRun, [goodGateway("tried")])).code).toBe(0);
    expect((await kube.kubectl(dryRun, [brokenGateway("tried")])).output).toContain(refusal);
    expect((await kube.call("GET", `${gateways}/tried`)).status).toBe(404);
  });

  test("an object with generateName passes", async () => {
    const metadata = { generateName: "made-" };
    const { status, body } = await rig().kube.call("POST", gateways, { ...goodGateway(), metadata });
    expect([status, (body["metadata"] as TestKubeObject["metadata"])["name"]]).toEqual([
      201,
      expect.stringMatching(/^made-/),
    ]);
  });

  test("deletions are always allowed", async () => {
    const { kube } = rig();
    await kube.call("POST", gateways, goodGateway("doomed"));
    expect((await kube.call("DELETE", `${gateways}/doomed`)).status).toBe(200);
  });

  test("no request is lost while the certificate is replaced under load", async () => {
    const { kube, webhook, authority } = rig();
    using client = new WebhookClient(webhook.address, webhook.pair);
    const serial = async () => (await client.post(reviewOf(goodGateway()))).serial;
    const over = new AbortController();
    const rotate = async () => {
      for (let rotations = 0; rotations < 3; rotations += 1) {
        const before = await serial();
        await authority.issueServer("webhook");
        await eventually("another certificate", async () => ((await serial()) === before ? undefined : true), patience);
      }
      over.abort();
    };
    const statuses: number[] = [];
    const write = async (writer: number) => {
      for (let count = 0; !over.signal.aborted; count += 1) {
        statuses.push((await kube.call("POST", gateways, goodGateway(`load-${writer}-${count}`))).status);
      }
    };
    await Promise.all([rotate(), write(0), write(1), write(2), write(3)]);
    expect(statuses.length).toBeGreaterThan(10);
    expect(new Set(statuses)).toEqual(new Set([201]));
  });

  test("writes fail while the webhook is down, and succeed when it is back", async () => {
    const { kube, webhook } = rig();
    await webhook.stop();
    const { status, body } = await kube.call("POST", gateways, goodGateway("orphan"));
    expect([status, body["message"]]).toEqual([500, expect.stringContaining("failed calling webhook")]);
    await webhook.start();
    expect((await kube.call("POST", gateways, goodGateway("orphan"))).status).toBe(201);
  });
});

describeWithKube("the webhook of a cluster with Istio's own definitions", () => {
  const data = join(istioData, "galley-validation");
  const objectsIn = (files: string) =>
    globSync(files, { cwd: data }).flatMap((file) =>
      parseAllDocuments(readFileSync(join(data, file), "utf8")).map((document) => document.toJS() as TestKubeObject),
    );

  describeWithData(data, "its validation data", () => {
    const rig = shared((resources) =>
      cluster(resources, async (kube) => {
        const { code, output } = await kube.kubectl(["create", "-f", join(istioData, "crds/istio-crds.yaml")]);
        if (code !== 0) throw new Error(output);
      }),
    );
    const post = ({ apiVersion, kind, ...object }: TestKubeObject, name: string) => {
      const plural = `${kind.toLowerCase().replace(/ry$/, "rie")}s`;
      const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
      const { namespace: _elsewhere, ...metadata } = object.metadata;
      const placed = { ...object, apiVersion, kind, metadata: { ...metadata, name } };
      return rig().kube.call("POST", `${path(plural, version)}?dryRun=All`, placed);
    };

    const postAll = (objects: readonly TestKubeObject[]) =>
      Promise.all(objects.map((object, index) => post(object, `object-${index}`)));

    test("objects that Istio accepts are accepted", async () => {
      const answers = await postAll(objectsIn("*-valid.yaml"));
      expect(answers.length).toBeGreaterThan(5);
      expect(answers.flatMap(({ status, body }) => (status === 201 ? [] : [body["message"]]))).toEqual([]);
    });

    // Today's definitions take from an old EnvoyFilter what was wrong with it, and a VirtualService without hosts is
    // no mistake since there are delegates.
    test("objects that Istio rejects are rejected, with our message if the CRD lets them pass", async () => {
      const changed = new Set(["EnvoyFilter", "VirtualService"]);
      const invalid = objectsIn("*-invalid.yaml").filter(({ kind }) => !changed.has(kind));
      const answers = await postAll(invalid);
      expect(answers.filter(({ status }) => status === 201)).toEqual([]);
      expect(answers.filter(({ body }) => String(body["message"]).startsWith(refusal)).length).toBeGreaterThan(0);
    });
  });
});
