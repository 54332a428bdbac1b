import { describe, expect, onTestFinished, test } from "vitest";
import { configId } from "../../config/config.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { proxyClassOf } from "../../pilot/model/proxy/proxy-class.ts";
import type { QuarantineReport, ReportedRefusal, RetryResult } from "../../pilot/xds/quarantine/report.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import type { Connection } from "../../xds/connection.ts";
import { HttpServer } from "../http-server.ts";
import type { ViewerRules } from "../viewer.ts";
import type { QuarantineState } from "./quarantine.ts";
import { type QuarantinePage, quarantinePage } from "./quarantine-page.ts";

const node = (pod: string, namespace: string) => `router~10.0.0.1~${pod}.${namespace}~${namespace}.svc.cluster.local`;
const own = proxyWithName(node("gw-0", "shop"));
const others = [proxyWithName(node("gw-1", "bank")), proxyWithName(node("gw-2", "bank"))];
const { id: classId, name: description } = proxyClassOf(own);
const reviews = configId("VirtualService", "shop", "reviews");
const script = configId("EnvoyFilter", "bank", "script");

const locate = () => undefined;

function refusal(id: typeof reviews, more: Partial<ReportedRefusal> = {}): ReportedRefusal {
  return {
    classId,
    id,
    version: "v2",
    reason: "no such regex",
    rejected: [{ type: "RDS", resources: ["http.80"] }],
    since: 5_000,
    node: node("gw-0", "shop"),
    confirmedBy: node("gw-1", "bank"),
    probes: 4,
    keptFrom: 3,
    arrivedAt: [],
    instead: { type: "earlier version", version: "v1" },
    state: { type: "refused" },
    ...more,
  };
}

const report: QuarantineReport = {
  classes: [{ id: classId, description, proxies: 3 }],
  refusals: [
    refusal(reviews, { state: { type: "being tried", node: node("gw-1", "bank") } }),
    refusal(script, { node: node("gw-1", "bank"), version: undefined, instead: { type: "nothing" } }),
  ],
  released: [{ classId, id: script, version: "v7" }],
  search: { classId, node: node("gw-2", "bank"), suspects: [reviews, script], probes: 1 },
  untrusted: [
    { node: node("gw-2", "bank"), reason: "contradicted", until: 60_000 },
    { node: node("gw-1", "bank"), reason: "reconnects", until: Number.POSITIVE_INFINITY },
  ],
};

function rig(given: QuarantineReport | "off" = report, retried: RetryResult["type"] = "started") {
  const commands: string[] = [];
  const known = given === "off" ? undefined : given;
  const state: QuarantineState = {
    connections: () => [own, ...others].map((client) => ({ client }) as unknown as Connection<Proxy>),
    originOf: (id) => (id === reviews ? { source: "file:mesh", reference: "mesh/a.yaml:3", locate } : undefined),
    timeOf: (clockMs) => new Date(clockMs),
    quarantine: () => known,
  };
  const page = quarantinePage(
    state,
    known && {
      retry(object) {
        commands.push(`retry ${object ?? "all"}`);
        return retried === "started" ? { type: retried, objects: [] } : { type: retried };
      },
      async release(object) {
        commands.push(`release ${object}`);
        return object === reviews ? { type: "released", classes: [classId] } : { type: "not refused" };
      },
    },
  );
  return { page, commands };
}

async function shown(namespace?: string): Promise<QuarantinePage> {
  const { page } = rig();
  const none = new URLSearchParams();
  const answer = namespace === undefined ? page.answer(none) : page.answerWithin?.(namespace, none);
  return JSON.parse((await answer)?.body ?? "") as QuarantinePage;
}

describe("the page of the quarantine", () => {
  test("shows each refused object with its place, class, reason, time and replacement", async () => {
    const { enabled, objects } = await shown();
    expect(enabled).toBe(true);
    expect(objects).toEqual([
      {
        object: reviews,
        reference: "mesh/a.yaml:3",
        version: "v2",
        class: description,
        proxies: 3,
        since: "1970-01-01T00:00:05.000Z",
        confirmedBy: node("gw-1", "bank"),
        reason: "no such regex",
        rejected: [{ type: "RDS", resources: ["http.80"] }],
        node: node("gw-0", "shop"),
        probes: 4,
        instead: { type: "earlier version", version: "v1" },
        state: { type: "being tried", node: node("gw-1", "bank") },
      },
      expect.objectContaining({ object: script, reference: "", version: "", instead: { type: "nothing" } }),
    ]);
  });

  test("shows the running search, released versions and proxies that are not used for searches", async () => {
    expect(await shown()).toMatchObject({
      released: [{ object: script, version: "v7", class: description }],
      search: { class: description, node: node("gw-2", "bank"), suspects: 2, probes: 1 },
      untrusted: [{ until: "1970-01-01T00:01:00.000Z" }, { reason: "reconnects", until: "" }],
    });
  });

  test("shows a workload the objects of its namespace, and no trace of other namespaces", async () => {
    const page = await shown("shop");
    expect(page).toMatchObject({ objects: [{ object: reviews, proxies: 1, reason: "no such regex" }], search: null });
    expect(page.objects[0]?.node).toBe(node("gw-0", "shop"));
    expect(JSON.stringify(page)).not.toMatch(/bank|http\.80/u);
    expect((await shown("elsewhere")).objects).toEqual([]);
  });

  test("hides from workloads the name of a proxy of others that refuses an object alone", async () => {
    const alone = node("gw-1", "bank");
    const scoped = { classId: `${classId} ${alone}`, node: alone, confirmedBy: undefined };
    const classes = [{ id: scoped.classId, description: `${description} ${alone}`, proxies: 1 }];
    const { page } = rig({ ...report, classes, refusals: [refusal(reviews, scoped)], released: [] });
    const none = new URLSearchParams();
    const within = JSON.parse((await page.answerWithin?.("shop", none))?.body ?? "") as QuarantinePage;
    expect(within.objects).toMatchObject([{ object: reviews, class: description, proxies: 0, node: "" }]);
    expect(JSON.stringify(within)).not.toContain("bank");
    expect((await page.answer(none)).body).toContain(`${description} ${alone}`);
  });

  test("says that the server keeps no object away, and refuses commands then", async () => {
    const { page, commands } = rig("off");
    expect(JSON.parse((await page.answer(new URLSearchParams())).body)).toMatchObject({ enabled: false, objects: [] });
    expect(await page.change?.apply("command=retry")).toMatchObject({ status: 409 });
    expect(commands).toEqual([]);
  });
});

describe("a command to the quarantine", () => {
  test.each([
    ["command=retry", "retry all"],
    [`command=retry&object=${reviews}`, `retry ${reviews}`],
    [`command=release&object=${encodeURIComponent(reviews)}\n`, `release ${reviews}`],
  ])("%j is carried out and answered with the new state", async (body, command) => {
    const { page, commands } = rig();
    const answer = await page.change?.apply(body);
    expect([answer?.status, JSON.parse(answer?.body ?? "")]).toMatchObject([200, { enabled: true }]);
    expect(commands).toEqual([command]);
  });

  test.each([
    ["", 400, "expected command=retry or command=release"],
    ["command=destroy", 400, "expected command=retry or command=release"],
    ["command=release", 400, "missing parameter: object="],
    ["command=retry&object=reviews", 400, "reviews is not KIND/NAMESPACE/NAME"],
  ])("%j is wrong usage, and does nothing", async (body, status, message) => {
    const { page, commands } = rig();
    const answer = await page.change?.apply(body);
    expect([answer?.status, answer?.body]).toEqual([status, expect.stringContaining(message)]);
    expect(commands).toEqual([]);
  });

  test("about an object that is not in quarantine is answered with the nearest one that is", async () => {
    const answer = await rig().page.change?.apply("command=release&object=VirtualService/shop/review");
    expect(answer).toMatchObject({ status: 404, body: expect.stringContaining(`did you mean ${reviews}?`) });
  });

  test("is refused while nothing is in quarantine, or no proxy can try the object", async () => {
    expect(await rig(report, "not refused").page.change?.apply("command=retry")).toMatchObject({ status: 404 });
    expect(await rig(report, "no proxy").page.change?.apply("command=retry")).toMatchObject({ status: 409 });
  });
});

/** Accepts every token as the name of its bearer's namespace. */
const viewers: ViewerRules = {
  systemNamespaces: () => ["istio-system"],
  async authenticate({ headers: { authorization } }) {
    const namespace = authorization?.replace("Bearer ", "");
    if (namespace === undefined) return { type: "refused", reasons: ["none was sent"] };
    return { type: "identified", identities: [`spiffe://mesh/ns/${namespace}/sa/a`] };
  },
};

/** A request with the command to try everything again. */
async function post(headers: Readonly<Record<string, string>>) {
  const { page, commands } = rig();
  const logger = new RecordingLogger();
  const server = new HttpServer({ address: "127.0.0.1:0", routes: [page], logger, viewers, onFailure: () => {} });
  onTestFinished(() => server.stop());
  const url = `http://${await server.start()}${page.path}`;
  const { status } = await fetch(url, { method: "POST", body: "command=retry", headers });
  return { status, commands };
}

describe("the right to change the quarantine", () => {
  // A forwarded request counts as remote.
  const remote = { "x-forwarded-for": "10.0.0.9" };

  test.each([
    ["without a token", remote, 401],
    ["with the token of a workload", { ...remote, authorization: "Bearer shop" }, 403],
    ["of a page of another site", { origin: "http://evil.example" }, 403],
  ])("is not given to a request %s", async (_who, headers, status) => {
    expect(await post(headers)).toEqual({ status, commands: [] });
  });

  test.each([
    ["with the token of an operator", { ...remote, authorization: "Bearer istio-system" }],
    ["from the machine of the server", {}],
  ])("is given to a request %s", async (_who, headers) => {
    expect(await post(headers)).toEqual({ status: 200, commands: ["retry all"] });
  });
});
