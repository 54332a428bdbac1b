import { beforeAll, describe, expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { askDesk, readDesk } from "../../../testing/desk/ask-desk.ts";
import { deskRig, nodeIn } from "../../../testing/desk/desk-rig.ts";
import { fakeConfig } from "../../../testing/config/fake-config.ts";
import type { DeskState } from "../desk-state.ts";
import type { ConfigurationListing, ObjectDetail, ReachedProxy } from "../model/configuration.ts";
import type { Listing } from "../model/listing.ts";

type Rig = Awaited<ReturnType<typeof deskRig>>;

const routesOfAaa = "/configuration/VirtualService/aaa/routes-aaa";
let rig: Rig;

beforeAll(async () => {
  rig = await deskRig();
});

function entryYaml(index: number): string {
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: entry-${String(index).padStart(3, "0")}, namespace: many}
spec:
  hosts: [host-${index}.example]
  resolution: NONE
  ports: [{number: 443, name: tls, protocol: TLS}]
`;
}

describe("the list of objects", () => {
  test("has every object once, page by page, in order", async () => {
    const { mesh, state } = await deskRig();
    mesh.source.apply(Array.from({ length: 250 }, (_, index) => entryYaml(index)).join("---\n"));
    const ids: string[] = [];
    let cursor = "";
    do {
      const path = `/configuration?namespace=many&limit=100&cursor=${encodeURIComponent(cursor)}`;
      const page = await readDesk<ConfigurationListing>(state, path);
      expect(page.total).toBe(250);
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next ?? "";
    } while (cursor !== "");
    expect(ids).toEqual(Array.from({ length: 250 }, (_, index) => idOfEntry(index)));
  });

  test.each([
    ["search=routes", ["VirtualService/aaa/routes-aaa", "VirtualService/bbb/routes-bbb"]],
    ["search=virtualservice%20bbb", ["VirtualService/bbb/routes-bbb"]],
    ["search=store-aaa.aaa.svc", ["ServiceEntry/aaa/store-aaa", "VirtualService/aaa/routes-aaa"]],
    ["kind=ServiceEntry&namespace=bbb", ["ServiceEntry/bbb/store-bbb"]],
    [
      "source=memory&kind=VirtualService&kind=ServiceEntry&namespace=aaa",
      ["ServiceEntry/aaa/store-aaa", "VirtualService/aaa/routes-aaa"],
    ],
    ["search=no%20such%20object", []],
  ])("finds objects by %s", async (query, expected) => {
    const { items, total } = await readDesk<ConfigurationListing>(rig.state, `/configuration?${query}`);
    expect(items.map(({ id }) => id)).toEqual(expected);
    expect(total).toBe(expected.length);
  });

  test("counts facets by the other filters", async () => {
    const { facets } = await readDesk<ConfigurationListing>(rig.state, "/configuration?kind=ServiceEntry");
    expect(facets.kind).toEqual([
      { value: "Gateway", count: 2 },
      { value: "ServiceEntry", count: 2 },
      { value: "VirtualService", count: 2 },
    ]);
    expect(facets.namespace).toEqual([
      { value: "aaa", count: 1 },
      { value: "bbb", count: 1 },
    ]);
    expect(facets.severity).toEqual([{ value: "none", count: 2 }]);
  });

  test("never reads the text of objects, however many there are", async () => {
    const { mesh, state } = await deskRig();
    let reads = 0;
    mesh.source.batch(() => {
      for (let index = 0; index < 10_000; index++) {
        const origin = {
          source: "memory",
          reference: `many.yaml:${index}`,
          get text(): string {
            reads++;
            return "";
          },
          locate: () => undefined,
        };
        const config = { ...fakeConfig({ namespace: "many", name: `entry-${index}` }), origin };
        mesh.source.set("k8s/networking.istio.io/v1alpha3/serviceentries", config);
      }
    });
    // The graph has compared the new objects with earlier ones.
    reads = 0;
    const { total } = await readDesk<ConfigurationListing>(state, "/configuration?search=entry&namespace=many");
    expect(total).toBe(10_000);
    expect(reads).toBe(0);
  });
});

describe("one object", () => {
  test("shows its text as its author wrote it, with its sources, resources and proxies", async () => {
    const detail = await readDesk<ObjectDetail>(rig.state, routesOfAaa);
    expect(detail).toMatchObject({ state: "in use", written: true, issues: 0 });
    expect(detail.yaml).toMatch(/^apiVersion: networking.istio.io\/v1\nkind: VirtualService\n/u);
    expect(detail.yaml).toContain('x-edit: "1"');
    // The reference names the line of the first field.
    expect(detail.reference).toBe(`a.yaml:${detail.firstLine}`);
    expect(detail.precedence).toEqual([{ source: "memory", reference: detail.reference, wins: true }]);
    expect(detail.generated).toMatchObject({
      proxies: 2,
      resources: { items: [{ type: "RDS", name: "80", proxies: 2 }], total: 1 },
    });
    const reached = await readDesk<Listing<ReachedProxy>>(rig.state, `${routesOfAaa}/proxies?limit=1`);
    expect(reached).toMatchObject({ items: [{ node: nodeIn("aaa"), upToDate: true, resources: 1 }], total: 2 });
    const next = `${routesOfAaa}/proxies?limit=1&cursor=${encodeURIComponent(reached.next ?? "")}`;
    expect(await readDesk(rig.state, next)).toMatchObject({ items: [{ node: nodeIn("bbb"), upToDate: false }] });
  });

  test("is told apart from an object that no source has", async () => {
    expect(await askDesk(rig.state, "/configuration/Gateway/-/none")).toEqual({
      status: 404,
      body: { error: "no source has the Gateway none" },
    });
  });

  test("of a Secret shows the names of its parts, and never their content", async () => {
    const { mesh, state } = await deskRig();
    const content = "c2VjcmV0LWNvbnRlbnQ=";
    mesh.source.apply(`apiVersion: v1
kind: Secret
metadata:
  name: key
  namespace: aaa
  annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"data":{"token":"${content}"}}'}
type: Opaque
data: {token: ${content}}
stringData: {password: secret-content}
`);
    const answers = [
      await askDesk(state, "/configuration/Secret/aaa/key"),
      await askDesk(state, "/configuration?search=secret"),
    ];
    expect(answers[0]?.body).toMatchObject({ written: false, yaml: expect.stringContaining("token: (hidden)") });
    expect(answers[1]?.body).toMatchObject({ total: 1 });
    expect(JSON.stringify(answers)).not.toContain("secret-content");
    expect(JSON.stringify(answers)).not.toContain(content);
    expect(await askDesk(state, "/configuration?search=secret-content")).toMatchObject({ body: { total: 0 } });
  });

  test("in a list with other objects shows only itself", async () => {
    const { mesh, state } = await deskRig();
    // A list in the style of JSON is read as a whole, so every item has the text of all.
    mesh.source.apply(
      `{"apiVersion": "v1", "kind": "List", "items": [${item("Secret", "key", '"stringData": {"password": "secret-content"}')}, ${item("Sidecar", "narrow", '"spec": {"egress": [{"hosts": ["./*"]}]}')}]}`,
    );
    const detail = await readDesk<ObjectDetail>(state, "/configuration/Sidecar/aaa/narrow");
    expect(detail).toMatchObject({ written: false, yaml: expect.stringContaining("./*") });
    expect(detail.yaml).not.toContain("secret-content");
  });
});

describe("a broken object", () => {
  const broken = `# The routes of the shop.
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: routes-aaa, namespace: aaa}
spec:
  hosts: [store-aaa.aaa.svc.cluster.local]
  http:
  - route:
    - destination: {hosts: store-aaa}
`;

  test("shows the newest text with the issue at its line, and the version in use", async () => {
    const state = withIssues(await deskRig(), `${entryYaml(1)}---\n${broken}`);
    const detail = await readDesk<ObjectDetail>(state, routesOfAaa);
    expect(detail).toMatchObject({ state: "earlier version in use", severity: "error", written: true });
    expect(detail.inUse).toContain('x-edit: "1"');
    const lines = detail.yaml.split("\n");
    expect(lines[0]).toBe("# The routes of the shop.");
    const [message] = detail.messages;
    expect(message).toMatchObject({ severity: "error", path: expect.stringContaining("spec.http[0].route[0]") });
    expect(lines[(message?.line ?? 0) - detail.firstLine]).toContain("{hosts: store-aaa}");
    const list = await readDesk<ConfigurationListing>(state, "/configuration?severity=error");
    expect(list).toMatchObject({ total: 1, items: [{ id: "VirtualService/aaa/routes-aaa" }] });
  });

  test("without an earlier version is in the list, and not in use", async () => {
    const state = withIssues(await deskRig(), broken.replaceAll("routes-aaa", "never-good"));
    const detail = await readDesk<ObjectDetail>(state, "/configuration/VirtualService/aaa/never-good");
    expect(detail).toMatchObject({ state: "not in use", version: "", written: true, generated: { proxies: 0 } });
    expect(detail.yaml).toContain("never-good");
    expect(await readDesk(state, "/configuration?search=never-good")).toMatchObject({
      items: [{ state: "not in use", severity: "error" }],
    });
  });

  test("that nobody can identify is listed with its file and line", async () => {
    const state = withIssues(await deskRig(), "kind: VirtualService\n  spec: [\n");
    const { unreadable } = await readDesk<ConfigurationListing>(state, "/configuration");
    expect(unreadable.items[0]).toMatchObject({ severity: "error", reference: "a.yaml:1" });
    const within = await askDesk(state, "/configuration", { viewer: { type: "namespace", namespace: "aaa" } });
    expect(within.body).toMatchObject({ unreadable: { total: 0 } });
  });

  test("that is a Secret never shows its text", async () => {
    const text =
      "apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: aaa}\ntype: kubernetes.io/tls\nstringData: {tls.key: secret-content}\n";
    const state = withIssues(await deskRig(), text);
    const answer = await askDesk(state, "/configuration/Secret/aaa/key");
    expect(answer).toMatchObject({ status: 200, body: { state: "not in use", yaml: "" } });
    expect(JSON.stringify(answer.body)).not.toContain("secret-content");
  });
});

function idOfEntry(index: number): string {
  return configId("ServiceEntry", "many", `entry-${String(index).padStart(3, "0")}`);
}

/** The state after a source has read a file with this text. */
function withIssues({ mesh, state }: Rig, text: string): DeskState {
  const issues = mesh.source.applyValid(text);
  return {
    ...state,
    findings: { ...state.findings, issues: () => issues },
    newestText: (file) => Promise.resolve(file === "a.yaml" ? text : undefined),
  };
}

/** An object in the style of JSON. */
function item(kind: string, name: string, rest: string): string {
  const apiVersion = kind === "Secret" ? "v1" : "networking.istio.io/v1";
  return `{"apiVersion": "${apiVersion}", "kind": "${kind}", "metadata": {"name": "${name}", "namespace": "aaa"}, ${rest}}`;
}
