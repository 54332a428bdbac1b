import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { type EnvoyProcess, startEnvoy } from "./support/envoy/envoy.ts";
import { answering, forwarding, type LoggedResponse, ManyHosts } from "./support/envoy/many-hosts.ts";
import { get, many } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";
import { serviceYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy", "envoy-old");

const count = 1000;

/** The body of the answer of the gateway, or its status. */
async function answerOf({ port }: ManyHosts, host: string): Promise<string> {
  const { status, body } = await get(port, "/", { host }).catch(() => ({ status: 0, body: "" }));
  return status === 200 ? body : String(status);
}

async function untilAnswered(mesh: ManyHosts, host: string, expected: string): Promise<void> {
  await eventually(`${host} answers ${expected}`, async () => (await answerOf(mesh, host)) === expected, {
    seconds: 20,
  });
}

/** Types and resources of responses, without repetitions of nothing. */
function contents(responses: readonly LoggedResponse[]): readonly string[] {
  return responses
    .filter(({ resources, removed }) => resources + removed > 0)
    .map(({ type, resources, removed }) => `${type} ${resources}${removed > 0 ? ` -${removed}` : ""}`);
}

function bytesOf(responses: readonly LoggedResponse[]): number {
  return responses.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Requests one after the other, at most 5 000. `stop` returns the different answers. */
function startLoad(mesh: ManyHosts, host: string) {
  const control = new AbortController();
  const bodies = new Set<string>();
  const run = async () => {
    for (let call = 0; call < 5000 && !control.signal.aborted; call++) bodies.add(await answerOf(mesh, host));
  };
  const running = run();
  const stop = async () => {
    control.abort();
    await running;
    return bodies;
  };
  return { stop };
}

describeWithEnvoy("virtual hosts as resources", () => {
  let mesh: ManyHosts;
  let envoy: EnvoyProcess;

  beforeAll(async () => {
    mesh = await ManyHosts.open(count);
    await mesh.start();
    envoy = await startEnvoy({ xdsPort: mesh.xdsPort, mode: "delta" });
    await envoy.settled();
  }, 60_000);

  afterAll(async () => {
    await envoy.stop();
    await mesh[Symbol.asyncDispose]();
  });

  test("a delta Envoy gets a shell of its routes, and every virtual host as a resource", async () => {
    await untilAnswered(mesh, "h999.example", "one");
    const responses = mesh.newResponses();
    expect(contents(responses).slice(-2)).toEqual(["RDS 1", `VHDS ${count}`]);
    expect(bytesOf(responses.filter(({ type }) => type === "RDS"))).toBeLessThan(1000);
    expect(await answerOf(mesh, "unknown.example")).toBe("nobody");
  });

  test("an edit of one host sends one host, and traffic follows", async () => {
    mesh.source.apply(answering("h7", "h7.example", "two"));
    await untilAnswered(mesh, "h7.example", "two");
    const responses = mesh.newResponses();
    expect(contents(responses)).toEqual(["VHDS 1"]);
    expect(bytesOf(responses)).toBeLessThan(2000);
    expect(await answerOf(mesh, "h8.example")).toBe("one");
  });

  test("a new service and its host arrive in this order, with few bytes, and leave in the reverse order", async () => {
    await using echo = await startEcho("workload");
    const service = serviceYaml({ name: "added", port: 9080, endpoints: [{ port: echo.port }] });
    const route = forwarding("added", "added.example", "added", 9080);
    mesh.source.apply(`${service}---\n${route}`);
    const answered = async () => (await many(4, mesh.port, "/", { host: "added.example" })).get("workload") === 4;
    await eventually("the new service answers", answered, { seconds: 20 });
    const added = mesh.newResponses();
    expect(contents(added)).toEqual(["CDS 1", "EDS 1", "VHDS 1"]);
    expect(bytesOf(added)).toBeLessThan(5000);
    mesh.source.remove(`${service}---\n${route}`);
    await untilAnswered(mesh, "added.example", "nobody");
    await envoy.waitFor(async () => (await envoy.stat("cluster_manager.cluster_removed")) === 1);
    const removed = contents(mesh.newResponses());
    expect(removed.slice(0, 2)).toEqual(["VHDS 0 -1", "CDS 0 -1"]);
  });

  test("an edited catch-all sends the shell alone, and the hosts stay", async () => {
    mesh.source.apply(answering("everything-else", "*", "still nobody"));
    await untilAnswered(mesh, "unknown.example", "still nobody");
    expect(contents(mesh.newResponses())).toEqual(["RDS 1"]);
    expect(await answerOf(mesh, "h7.example")).toBe("two");
  });

  test("the most specific of overlapping wildcards answers, in whatever order they arrive", async () => {
    mesh.source.apply(answering("wide", "*.wild.example", "wide"));
    await untilAnswered(mesh, "a.b.wild.example", "wide");
    mesh.source.apply(answering("narrow", "*.b.wild.example", "narrow"));
    await untilAnswered(mesh, "a.b.wild.example", "narrow");
    mesh.source.apply(answering("exact", "a.b.wild.example", "exact"));
    await untilAnswered(mesh, "a.b.wild.example", "exact");
    expect(await answerOf(mesh, "x.b.wild.example")).toBe("narrow");
    mesh.source.remove(answering("exact", "a.b.wild.example", "exact"));
    await untilAnswered(mesh, "a.b.wild.example", "narrow");
  });

  test("no request fails and none reaches the catch-all while other hosts and its own are edited", async () => {
    const load = startLoad(mesh, "h5.example");
    for (let edit = 0; edit < 8; edit++) {
      mesh.source.apply(answering("h5", "h5.example", `edit ${edit}`));
      mesh.source.apply(answering(`new${edit}`, `new${edit}.example`, "new"));
      if (edit > 0) mesh.source.remove(answering(`new${edit - 1}`, `new${edit - 1}.example`, "new"));
      await untilAnswered(mesh, `new${edit}.example`, "new");
    }
    const bodies = await load.stop();
    expect([...bodies].filter((body) => body !== "one" && !body.startsWith("edit "))).toEqual([]);
    expect(bodies.size).toBeGreaterThan(1);
  });

  test("an Envoy that reconnects with everything is sent nothing", async () => {
    mesh.newResponses();
    await mesh.restart();
    await eventually("all types are answered", () => mesh.answeredTypes.includes("VHDS"), { seconds: 20 });
    await envoy.settled();
    expect(contents(mesh.newResponses())).toEqual([]);
    mesh.source.apply(answering("h7", "h7.example", "after the restart"));
    await untilAnswered(mesh, "h7.example", "after the restart");
    expect(contents(mesh.newResponses())).toEqual(["VHDS 1"]);
  });

  test("routes that are removed and return are warmed with their hosts again", async () => {
    mesh.source.remove(mesh.gateway);
    await envoy.waitFor(async () => (await envoy.stat("listener_manager.total_listeners_active")) === 0);
    // Until the end of the drain, Envoy keeps the routes and their hosts.
    await envoy.waitFor(async () => !JSON.stringify(await envoy.configDump()).includes("h7.example"));
    mesh.source.apply(mesh.gateway);
    await untilAnswered(mesh, "h7.example", "after the restart");
    await envoy.settled();
    mesh.source.apply(answering("h7", "h7.example", "after the return"));
    await untilAnswered(mesh, "h7.example", "after the return");
    expect(await envoy.troubles()).toEqual([]);
  });

  test("a server without virtual hosts as resources sends whole routes, and no request fails", async () => {
    const load = startLoad(mesh, "h6.example");
    await mesh.restart({ splitFrom: Number.POSITIVE_INFINITY });
    await eventually("RDS is answered", () => mesh.answeredTypes.includes("RDS"), { seconds: 20 });
    mesh.source.apply(answering("h7", "h7.example", "whole"));
    await untilAnswered(mesh, "h7.example", "whole");
    await envoy.settled();
    const bodies = await load.stop();
    expect([...bodies]).toEqual(["one"]);
    // A client keeps whole routes, because Envoy would serve the catch-all alone until the hosts arrive.
    mesh.newResponses();
    await mesh.restart();
    await eventually("RDS is answered", () => mesh.answeredTypes.includes("RDS"), { seconds: 20 });
    mesh.source.apply(answering("h7", "h7.example", "still whole"));
    await untilAnswered(mesh, "h7.example", "still whole");
    expect(contents(mesh.newResponses())).toEqual(["RDS 1"]);
    await envoy.settled();
  });

  test.each([
    ["an Envoy that refuses virtual hosts over ADS", { mode: "delta", peer: "envoy-old" }],
    ["a SotW Envoy", { mode: "sotw", peer: "envoy" }],
  ] as const)("%s gets whole routes", async (_, { mode, peer }) => {
    await using other = await ManyHosts.open(20);
    await other.start();
    const older = await startEnvoy({ xdsPort: other.xdsPort, mode, peer });
    try {
      await untilAnswered(other, "h3.example", "one");
      await older.settled();
      expect(other.newResponses().map(({ type }) => type)).not.toContain("VHDS");
    } finally {
      await older.stop();
    }
  });
});
