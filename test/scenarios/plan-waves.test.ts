import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { DeskState } from "../../src/desk/api/desk-state.ts";
import type { FieldCauses } from "../../src/desk/api/model/why.ts";
import type { PlanAnswer } from "../../src/desk/api/model/plan.ts";
import { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { readEnvoyResource } from "../../src/testing/envoy/envoy-resources.ts";
import { askDesk, readDesk } from "../../src/testing/desk/ask-desk.ts";
import { deskStateOf } from "../../src/testing/desk/desk-rig.ts";
import { JournalMesh } from "../../src/testing/desk/journal-mesh.ts";
import { observedLines, predictedLines } from "./plan/delivered-lines.ts";
import { WireRecord } from "./plan/wire-record.ts";
import { gateway, has, readPoisoned, route, service, theGateway } from "./quarantine/poisoned-mesh.ts";
import { staged } from "./rollout/staged-objects.ts";

const inModes = (number: number, version: string) =>
  (["sotw", "delta"] as const).map((mode, index) => ({ ...gateway(number + index, version), mode }));
const refusingNodes = [...inModes(0, "1.30.0"), ...inModes(2, "1.30.0")];
const acceptingNodes = inModes(10, "1.31.0");

/** A server with gateways. Those of version 1.30.0 refuse what contains the word `poison`. */
class PlannedWaves {
  readonly #mesh: JournalMesh;
  readonly #state: DeskState;
  readonly #clients: readonly { readonly envoy: EnvoyModel; readonly record: WireRecord }[];
  readonly nodes = [...refusingNodes, ...acceptingNodes];

  private constructor(mesh: JournalMesh) {
    this.#mesh = mesh;
    this.#state = deskStateOf(mesh);
    const envoys = this.nodes.map(
      ({ mode, ...node }, index) =>
        new EnvoyModel(mode, index < refusingNodes.length ? readPoisoned : readEnvoyResource, node),
    );
    for (const envoy of envoys) envoy.connect(mesh.discovery);
    this.#clients = envoys.map((envoy) => ({ envoy, record: new WireRecord(envoy) }));
  }

  static async start(): Promise<PlannedWaves> {
    const objects = [theGateway, service("backend"), route(1, "first"), route(2, "first")];
    const waves = new PlannedWaves(await JournalMesh.serving(objects.join("\n---\n"), { quarantine: true }));
    await waves.pass(3);
    waves.observed();
    return waves;
  }

  async plan(object: string) {
    const { body } = await askDesk(this.#state, "/plan", { body: { objects: object, maxRequests: 0 } });
    const { plan, issues } = body as PlanAnswer;
    if (plan === undefined) throw new Error(JSON.stringify(issues));
    return plan;
  }

  async apply(object: string, seconds: number): Promise<void> {
    this.#mesh.source.apply(object);
    await this.pass(seconds);
  }

  /** Lets time pass, with everything that happens in it. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.#mesh.clock.advance(1_000);
      for (let quiet = 0; quiet < 10; quiet++) {
        await this.#mesh.settle(this.#clients.map(({ envoy }) => envoy));
        await nextTurn();
      }
    }
  }

  /** The value of a field of the routes, and the number of lines behind it. */
  async why(node: string, field: string): Promise<readonly [unknown, number]> {
    const path = `/proxies/${encodeURIComponent(node)}/resources/http.80/why?type=RDS&field=${encodeURIComponent(field)}`;
    const { value, causes } = await readDesk<FieldCauses>(this.#state, path);
    return [value, causes.length];
  }

  having(text: string): readonly string[] {
    return this.#clients.flatMap(({ envoy }, index) => (has(envoy, text) ? [this.nodes[index]?.nodeId ?? ""] : []));
  }

  observed(): readonly string[] {
    return observedLines(
      this.nodes,
      this.#clients.map(({ record }) => record.take()),
    );
  }
}

describe("a plan on a server", () => {
  test("is for the mesh without the objects that proxies refuse, and tries them again if they change", async () => {
    const server = await PlannedWaves.start();
    await server.apply(route(1, "poison"), 90);
    expect(server.having("poison")).toEqual(acceptingNodes.map(({ nodeId }) => nodeId));
    expect(server.having("first")).toHaveLength(6);
    server.observed();

    const other = await server.plan(route(3, "third"));
    const leftOut = other.deliveries.map(({ proxies, leftOut: ids = [] }) => `${proxies.length} without ${ids.join()}`);
    expect(leftOut.toSorted()).toEqual([
      "1 without ",
      "1 without ",
      "2 without VirtualService/shop/vs-1",
      "2 without VirtualService/shop/vs-1",
    ]);
    await server.apply(route(3, "third"), 3);
    expect(predictedLines(other.deliveries)).toEqual(server.observed());

    const mended = await server.plan(route(1, "mended"));
    expect(mended.deliveries.flatMap(({ leftOut: ids = [] }) => ids)).toEqual([]);
    await server.apply(route(1, "mended"), 300);
    expect(server.having("mended")).toHaveLength(6);
    expect(predictedLines(mended.deliveries)).toEqual(server.observed());
  });

  test("names the proxies of each wave of a staged change, and what they get then", async () => {
    const server = await PlannedWaves.start();
    const change = staged(route(1, "next"), { waves: "1, 50%" });
    const { waves = [], deliveries } = await server.plan(change);
    expect(waves.map(({ rollout, wave, of }) => [rollout, wave, of])).toEqual([
      ["shop/change", 1, 3],
      ["shop/change", 2, 3],
      ["shop/change", 3, 3],
    ]);
    expect(waves.flatMap(({ proxies }) => proxies).toSorted()).toEqual(
      server.nodes.map(({ nodeId }) => nodeId).toSorted(),
    );
    await server.apply(change, 0);
    const seen: string[] = [];
    for (let second = 0; second < 3_600 && server.having("next").length < 6; second++) {
      await server.pass(1);
      const nodes = server.having("next").toSorted().join();
      if (nodes !== "" && seen.at(-1) !== nodes) seen.push(nodes);
    }
    const reached = waves.map(({ proxies }) => proxies);
    const inWaves = reached.map((_, index) =>
      reached
        .slice(0, index + 1)
        .flat()
        .toSorted()
        .join(),
    );
    expect(seen).toEqual([...new Set(inWaves)]);
    await server.pass(60);
    expect(predictedLines(deliveries)).toEqual(server.observed());
  });

  test("is for the mesh that a proxy has in its wave, while a rollout runs", async () => {
    const server = await PlannedWaves.start();
    await server.apply(staged(route(1, "next"), { waves: "1", wait: "1h" }), 30);
    expect(server.having("next")).toHaveLength(1);
    server.observed();
    const plan = await server.plan(route(3, "third"));
    expect(plan.waves).toBeUndefined();
    await server.apply(route(3, "third"), 3);
    expect(predictedLines(plan.deliveries)).toEqual(server.observed());

    const again = await server.plan(staged(route(1, "again"), { waves: "1", wait: "1h" }));
    expect(again.waves?.map(({ proxies }) => proxies.length)).toEqual([1, 5]);
    expect(predictedLines(again.deliveries)).toHaveLength(6);
  });

  test("and a question about a field are for the mesh that the proxy has", async () => {
    const server = await PlannedWaves.start();
    await server.apply(staged(route(1, "next"), { waves: "1", wait: "1h" }), 30);
    const [reached] = server.having("next");
    const other = server.nodes.find(({ nodeId }) => nodeId !== reached)?.nodeId;
    const header = "virtual_hosts[0].routes[0].request_headers_to_add[0].header.value";
    const [next, lines] = await server.why(reached ?? "", header);
    expect(next).toBe("next");
    expect(await server.why(other ?? "", header)).toEqual(["first", lines]);
  });

  test("and a question about a field know nothing of an object that the proxy refuses", async () => {
    const server = await PlannedWaves.start();
    const nodeId = refusingNodes[0]?.nodeId ?? "";
    const before = await server.why(nodeId, "virtual_hosts");
    await server.apply(route(4, "poison"), 120);
    expect(server.having("poison")).toHaveLength(2);
    expect(await server.why(nodeId, "virtual_hosts")).toEqual(before);
  });

  test("is for the mesh of the rollout that runs, and not for that of a halted one", async () => {
    const server = await PlannedWaves.start();
    await server.apply(staged(route(1, "poison"), { name: "halted", waves: "99.99%" }), 10);
    expect(server.having("poison")).toEqual([]);
    await server.apply(staged(route(2, "next"), { name: "running", waves: "1", wait: "1h" }), 30);
    expect(server.having("next")).toHaveLength(1);
    server.observed();
    const plan = await server.plan(route(3, "third"));
    await server.apply(route(3, "third"), 3);
    expect(predictedLines(plan.deliveries)).toEqual(server.observed());
  });
});
