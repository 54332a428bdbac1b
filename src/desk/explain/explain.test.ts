import { beforeAll, describe, expect, test } from "vitest";
import { askDesk, readDesk } from "../../testing/desk/ask-desk.ts";
import { deskStateOf } from "../../testing/desk/desk-rig.ts";
import { JournalMesh } from "../../testing/desk/journal-mesh.ts";
import { Overload } from "../../lib/overload/overload.ts";
import type { DeskState } from "../api/desk-state.ts";
import type { ExplainAnswer, ExplainedRequest, ExplainRequest } from "../api/model/explain.ts";
import { WhatIfGate } from "./what-if-gate.ts";
import { WhatIfMesh } from "./what-if-mesh.ts";

const shop = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: reviews, namespace: shop}
spec:
  hosts: [reviews.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 9080, name: http, protocol: HTTP}]
  endpoints:
  - {address: 10.9.0.2, labels: {app: reviews, version: v1, security.istio.io/tlsMode: istio}, serviceAccount: reviews}
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: reviews, namespace: shop}
spec:
  host: reviews.shop.svc.cluster.local
  subsets: [{name: v1, labels: {version: v1}}, {name: v2, labels: {version: v2}}]
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: reviews, namespace: shop}
spec:
  hosts: [reviews.shop.svc.cluster.local]
  http:
  - route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v1}}]
`;

const web = "sidecar~10.9.0.1~web-0.shop~shop.svc.cluster.local";
const reviews = "sidecar~10.9.0.2~reviews-0.shop~shop.svc.cluster.local";
const question: ExplainRequest = { node: web, from: "client", method: "GET", url: "http://reviews.shop:9080/" };

/** A mesh with a client and a server, both connected. */
async function meshOf(yaml: string): Promise<{ readonly mesh: JournalMesh; readonly state: DeskState }> {
  const mesh = await JournalMesh.serving(yaml);
  const metadata = { NAMESPACE: "shop", SDS_MODE: "agent", INTERCEPTION_MODE: "REDIRECT" };
  const envoys = [
    mesh.connect("sotw", { nodeId: web, metadata: { ...metadata, LABELS: { app: "web" } } }),
    mesh.connect("delta", { nodeId: reviews, metadata: { ...metadata, LABELS: { app: "reviews", version: "v1" } } }),
  ];
  await mesh.settle(envoys);
  return { mesh, state: deskStateOf(mesh) };
}

let live: Awaited<ReturnType<typeof meshOf>>;

beforeAll(async () => {
  live = await meshOf(shop);
});

function ask(state: DeskState, more: Partial<ExplainRequest> = {}): Promise<ExplainAnswer> {
  return readDesk<ExplainAnswer>(state, "/explain", { ...question, ...more });
}

describe("an explained request", () => {
  test("names every decision with the object and the line behind it", async () => {
    const { outcome, steps } = await ask(live.state);
    expect(outcome).toMatchObject({
      type: "forwarded",
      targets: [{ cluster: "outbound|9080|v1|reviews.shop.svc.cluster.local", share: 1 }],
    });
    expect(steps.map(({ type }) => type)).toEqual([
      "listener",
      "filter chain",
      "route configuration",
      "virtual host",
      "route",
      "cluster",
    ]);
    const route = steps.find(({ type }) => type === "route");
    expect(route?.owners.items).toMatchObject([{ id: "VirtualService/shop/reviews", reference: "a.yaml:20" }]);
    expect(steps.at(-1)?.endpoints?.items).toMatchObject([{ address: "10.9.0.2:9080" }]);
  });

  test("that finds nothing names the near misses", async () => {
    const { nearMisses } = await ask(live.state, { url: "http://reviews.shop:9090/" });
    expect(nearMisses.items).toMatchObject([{ object: { id: "ServiceEntry/shop/reviews" }, why: expect.any(String) }]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["a URL", { url: "reviews" }, "expected a URL such as http://reviews:9080/path"],
    ["an address", { source: "here" }, "source: expected an IP address"],
    ["a direction", { from: "above" }, 'from: expected "client" or "network"'],
    ["a header", { headers: { "end user": "x" } }, "headers: expected names without blanks"],
    ["a text", { method: 7 }, "method: expected a text, found 7"],
    ["an answer of authorizers", { extAuthz: "maybe" }, 'extAuthz: expected "allow" or "deny"'],
    ["a text that is too long", { whatIf: "#".repeat(200_000) }, "whatIf: the text has more than 131072 bytes"],
  ])("refuses %s that it cannot use", async (_, more, error) => {
    const answer = await askDesk(live.state, "/explain", { body: { ...question, ...more } });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
  });

  test("of a proxy that is not connected is not found", async () => {
    expect(await askDesk(live.state, "/explain", { body: { ...question, node: "x" } })).toMatchObject({ status: 404 });
    expect(await askDesk(live.state, "/explain", { body: [] })).toMatchObject({ status: 400 });
  });
});

const header = (kind: string, name: string, group = "networking.istio.io/v1") =>
  `apiVersion: ${group}\nkind: ${kind}\nmetadata: {name: ${name}, namespace: shop}\nspec:\n`;
const security = "security.istio.io/v1";

const plaintext = `${header("DestinationRule", "reviews")}  host: reviews.shop.svc.cluster.local
  trafficPolicy: {tls: {mode: DISABLE}}
  subsets: [{name: v1, labels: {version: v1}}]\n`;

const edits: Readonly<Record<string, string>> = {
  "another subset": `${header("VirtualService", "reviews")}  hosts: [reviews.shop.svc.cluster.local]
  http: [{route: [{destination: {host: reviews.shop.svc.cluster.local, subset: v2}}]}]\n`,
  "a redirect": `${header("VirtualService", "reviews")}  hosts: [reviews.shop.svc.cluster.local]
  http: [{redirect: {uri: /elsewhere}}]\n`,
  "a policy of the server": `${header("AuthorizationPolicy", "deny", security)}  selector: {matchLabels: {app: reviews}}\n  action: DENY\n  rules: [{}]\n`,
  "plaintext of the client": plaintext,
  "mTLS of the server, and plaintext of the client": `${plaintext}---
${header("PeerAuthentication", "strict", security)}  mtls: {mode: STRICT}\n`,
  "a narrower scope": `${header("Sidecar", "narrow")}  workloadSelector: {labels: {app: web}}\n  egress: [{hosts: [other/*]}]\n`,
  "a patch": `${header("EnvoyFilter", "answer", "networking.istio.io/v1alpha3")}  configPatches:
  - applyTo: HTTP_ROUTE
    match: {context: SIDECAR_OUTBOUND}
    patch: {operation: MERGE, value: {direct_response: {status: 418}}}\n`,
  "two objects": `${header("VirtualService", "reviews")}  hosts: [reviews.shop.svc.cluster.local]
  http: [{route: [{destination: {host: fresh.shop.svc.cluster.local}}]}]
---
${header("ServiceEntry", "fresh")}  hosts: [fresh.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 9080, name: http, protocol: HTTP}]
  endpoints: [{address: 10.9.0.3}]\n`,
};

/** Places differ: the edited text is no file. */
function withoutPlaces(answer: ExplainedRequest | undefined): unknown {
  const text = JSON.stringify(answer, (key, value: unknown) =>
    key === "reference" || key === "source" ? undefined : value,
  );
  return JSON.parse(text.replaceAll(/ \((?:a\.yaml|edited copy):\d+\)/gu, ""));
}

/** Everything that a question must not change. */
function liveFacts({ mesh }: typeof live) {
  return {
    published: mesh.discovery.catalogue.published,
    responses: mesh.tap.streams.map(({ responses }) => responses.length),
    inputs: Array.from(mesh.environment.inputs.values(), (input) => input.snapshot()),
    changes: mesh.journal.changes.length,
  };
}

describe("what if", () => {
  test.each(Object.entries(edits))("%s gives the answer of a server that has the objects", async (_, yaml) => {
    const before = liveFacts(live);
    const { whatIf, ...now } = await ask(live.state, { whatIf: yaml });
    expect(whatIf?.issues.filter(({ severity }) => severity === "error")).toEqual([]);
    const { state } = await meshOf(`${shop}---\n${yaml}`);
    expect(withoutPlaces(whatIf?.answer)).toEqual(withoutPlaces(await ask(state)));
    // The question is about something: the answer of the live mesh is another one.
    expect(whatIf?.answer?.steps).not.toEqual(now.steps);
    expect(withoutPlaces(now)).toEqual(withoutPlaces(await ask(live.state)));
    await live.mesh.pushed();
    const after = liveFacts(live);
    expect(after.published).toBe(before.published);
    expect(after.inputs.every((view, index) => view === before.inputs[index])).toBe(true);
    expect([after.responses, after.changes]).toEqual([before.responses, before.changes]);
  });

  test("after another edit does not remember the first one", async () => {
    const yaml = edits["a narrower scope"] ?? "";
    await ask(live.state, { whatIf: edits["a redirect"] ?? "" });
    const { whatIf } = await ask(live.state, { whatIf: yaml });
    const { state } = await meshOf(`${shop}---\n${yaml}`);
    expect(withoutPlaces(whatIf?.answer)).toEqual(withoutPlaces(await ask(state)));
  });

  test("says what each object changes, and its line in the text", async () => {
    const { whatIf } = await ask(live.state, { whatIf: edits["two objects"] ?? "" });
    expect(whatIf?.objects).toMatchObject([
      { id: "VirtualService/shop/reviews", change: "changed", reference: "edited copy:1" },
      { id: "ServiceEntry/shop/fresh", change: "added", reference: "edited copy:8" },
    ]);
    const same = shop.slice(shop.lastIndexOf("---\n") + 4);
    expect((await ask(live.state, { whatIf: same })).whatIf?.objects).toMatchObject([{ change: "unchanged" }]);
  });

  test.each<[string, string, RegExp, number | undefined]>([
    ["an invalid field", `${header("Sidecar", "x")}  egress: [{hosts: [bad]}]\n`, /hosts/u, 5],
    ["a text that is no YAML", "a: [\n", /never closed/u, 1],
    [
      "a kind that becomes another",
      "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: shop}\nspec: {}\n",
      /has no answer for the Service s/u,
      1,
    ],
    ["a text without objects", "# nothing\n", /no object/u, undefined],
    [
      "too many objects",
      Array.from({ length: 51 }, (_, i) => `${header("Sidecar", `s-${i}`)}  egress: [{hosts: [./*]}]\n`).join("---\n"),
      /51 objects, and at most 50/u,
      undefined,
    ],
  ])("with %s has issues instead of an answer", async (_, yaml, text, line) => {
    const { whatIf } = await ask(live.state, { whatIf: yaml });
    expect(whatIf?.answer).toBeUndefined();
    const issue = whatIf?.issues.find((each) => text.test(each.text));
    expect(issue).toMatchObject({ severity: "error" });
    expect(issue?.line).toBe(line);
  });

  test("is for operators", async () => {
    const body = { ...question, whatIf: edits["a redirect"] };
    const viewer = { type: "namespace", namespace: "shop" } as const;
    expect(await askDesk(live.state, "/explain", { body, viewer })).toMatchObject({ status: 403 });
  });

  test("is answered one at a time, and not while the server is loaded", async () => {
    const body = { ...question, whatIf: edits["a redirect"] };
    const { promise, resolve } = Promise.withResolvers<void>();
    const { mesh } = live.state.whatIf;
    const slow: Pick<WhatIfMesh, "with" | "contexts" | "trialsFor" | "discovery" | "currentOf" | "inputNameOf"> = {
      contexts: (groups) => mesh.contexts(groups),
      trialsFor: (client) => mesh.trialsFor(client),
      discovery: mesh.discovery,
      currentOf: (id) => mesh.currentOf(id),
      inputNameOf: (id) => mesh.inputNameOf(id),
      with: async (edited, connection) => await promise.then(() => mesh.with(edited, connection)),
    };
    const state: DeskState = { ...live.state, whatIf: { ...live.state.whatIf, mesh: slow } };
    const first = askDesk(state, "/explain", { body });
    expect(await askDesk(state, "/explain", { body })).toMatchObject({ status: 429 });
    resolve();
    expect(await first).toMatchObject({ status: 200 });
    expect(await askDesk(state, "/explain", { body })).toMatchObject({ status: 200 });

    const overload = new Overload();
    const loaded = new WhatIfGate({ paceOf: () => "slower", reason: "busy", shed: (work) => overload.shed(work) });
    const whatIf = { ...live.state.whatIf, enter: () => loaded.enter() };
    expect(await askDesk({ ...live.state, whatIf }, "/explain", { body })).toMatchObject({
      status: 503,
      body: { error: "the server is loaded: busy; ask what if again later" },
    });
    expect(overload.shedCounts.get("pages")).toBe(1);
    // A question without edits needs no second mesh.
    expect(await askDesk({ ...live.state, whatIf }, "/explain", { body: question })).toMatchObject({ status: 200 });
  });

  test("that takes too long says so", async () => {
    const { mesh, state } = await meshOf(shop);
    const { environment, settings, discovery, clock } = mesh;
    const slow = new WhatIfMesh({
      environment,
      settings,
      discovery,
      clock: { part: "desk", now: () => clock.now(), after: (ms, run) => clock.after(ms, run) },
      turn: () => Promise.resolve(clock.advance(5_000)),
    });
    const answer = await ask(
      { ...state, whatIf: { ...state.whatIf, mesh: slow } },
      { whatIf: edits["a redirect"] ?? "" },
    );
    expect(answer.outcome.type).toBe("forwarded");
    expect(answer.whatIf?.answer).toBeUndefined();
    expect(answer.whatIf?.issues).toMatchObject([
      { severity: "error", text: expect.stringContaining("more than 20 s") },
    ]);
  });

  test("gives the second graph back a minute after the last question", async () => {
    const { mesh, state } = await meshOf(shop);
    const whatIf = state.whatIf.mesh as unknown as { readonly isOpen: boolean };
    expect(whatIf.isOpen).toBe(false);
    await ask(state, { whatIf: edits["a redirect"] ?? "" });
    mesh.clock.advance(59_000);
    expect(whatIf.isOpen).toBe(true);
    await ask(state, { whatIf: edits["a redirect"] ?? "" });
    mesh.clock.advance(59_000);
    expect(whatIf.isOpen).toBe(true);
    mesh.clock.advance(1_000);
    expect(whatIf.isOpen).toBe(false);
  });
});
