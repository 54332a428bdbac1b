import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { HttpEurekaServer } from "../../src/galley/source/eureka/eureka-server.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { describeSource, type SourceSubject } from "../conformance/describe-source.ts";
import { eurekaSubject } from "../conformance/eureka-subject.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { Eureka } from "./support/registry/eureka.ts";
import { EurekaGate } from "./support/registry/eureka-gate.ts";
import { XdsRecording } from "./support/xds/xds-recording.ts";

const describeWithEureka = await describeWith("eureka");

describeWithEureka("a real Eureka server", () => {
  let eureka: Eureka;
  /** An empty server: it stands for the first one after a restart. */
  let another: Eureka;

  beforeAll(async () => {
    [eureka, another] = await Promise.all([Eureka.start(), Eureka.start()]);
  });

  afterAll(() => Promise.all([eureka, another].map((server) => server?.[Symbol.asyncDispose]())));

  describeSource("its registry", () => Promise.resolve(subjectOf(eureka)), { losesTrack: false, registry: true });

  describe("a mesh that is served from it", () => {
    let gate: EurekaGate;
    let binnacle: BinnacleProcess;
    let xds: XdsRecording;
    let mesh: MeshDir;
    let apps = 0;
    let app = "";
    let cluster = "";
    /** The endpoints, once there are `count` of them. */
    const endpoints = (count: number) =>
      eventually(
        `${count} endpoints of ${cluster}`,
        async () => {
          const found = await xds.endpoints(cluster);
          return found?.length === count && found;
        },
        { seconds: 20 },
      );

    beforeAll(async () => {
      gate = await EurekaGate.start(eureka.port);
      mesh = new MeshDir();
      const settings = "refresh=100ms&drop-grace=3s&namespace=shop";
      const source = `eureka+http://127.0.0.1:${gate.port}/eureka?${settings}`;
      binnacle = await startBinnacle({ dir: mesh.path, args: ["--source", source] });
      xds = new XdsRecording(binnacle.xdsPort);
    });

    afterAll(async () => {
      xds?.[Symbol.dispose]();
      await binnacle?.stop();
      await gate?.[Symbol.asyncDispose]();
      mesh?.[Symbol.dispose]();
    });

    /** Registers a separate application for each test, with two instances. */
    beforeEach(async () => {
      apps += 1;
      app = `APP_${apps}`;
      cluster = `outbound|80||app-${apps}.shop.svc.cluster.local`;
      await eureka.register({ app, id: "one", address: "127.0.0.1" });
      await eureka.register({ app, id: "two", address: "127.0.0.2" });
      await endpoints(2);
    });

    test("registering an instance adds an endpoint, and deregistering removes it", async () => {
      await eureka.register({ app, id: "three", address: "127.0.0.3", port: 9090 });
      expect(await endpoints(3)).toEqual(["127.0.0.1:8080", "127.0.0.2:8080", "127.0.0.3:9090"]);
      await eureka.deregister(app, "one");
      expect(await endpoints(2)).toEqual(["127.0.0.2:8080", "127.0.0.3:9090"]);
    });

    test("renewals without a change of content cause no push", async () => {
      await gate.answers(2);
      await xds.take();
      const before = xds.responses.length;
      await eureka.renew(app, "one");
      await eureka.register({ app, id: "two", address: "127.0.0.2" });
      await gate.answers(10);
      await xds.take();
      expect(xds.responses.slice(before)).toEqual([]);
      expect(gate.asked.slice(-8)).toEqual(Array.from({ length: 8 }, () => "/eureka/apps/delta"));
    });

    test("an instance that an operator takes out of service is no endpoint until the operator reverts that", async () => {
      await eureka.override(app, "one", "OUT_OF_SERVICE");
      expect(await endpoints(1)).toEqual(["127.0.0.2:8080"]);
      await eureka.override(app, "one", undefined);
      expect(await endpoints(2)).toEqual(["127.0.0.1:8080", "127.0.0.2:8080"]);
    });

    test("an instance with an expired lease disappears, and one that renews its lease stays", async () => {
      await eureka.register({ app, id: "brief", address: "127.0.0.4", leaseSeconds: 1 });
      expect(await endpoints(3)).toEqual(["127.0.0.1:8080", "127.0.0.2:8080", "127.0.0.4:8080"]);
      await eureka.renew(app, "two");
      expect(await endpoints(2)).toEqual(["127.0.0.1:8080", "127.0.0.2:8080"]);
    });

    test("an application without instances keeps its cluster, without endpoints", async () => {
      await eureka.deregister(app, "one");
      await eureka.deregister(app, "two");
      expect(await endpoints(0)).toEqual([]);
      await eureka.register({ app, id: "one", address: "127.0.0.9" });
      expect(await endpoints(1)).toEqual(["127.0.0.9:8080"]);
    });

    test("inconsistent changes cause a full fetch", async () => {
      gate.swallowsChanges = true;
      try {
        const before = gate.asked.length;
        await eureka.register({ app, id: "three", address: "127.0.0.3" });
        expect(await endpoints(3)).toEqual(["127.0.0.1:8080", "127.0.0.2:8080", "127.0.0.3:8080"]);
        expect(gate.asked.slice(before).filter((path) => path === "/eureka/apps")).toHaveLength(1);
      } finally {
        gate.swallowsChanges = false;
      }
    });

    test("an unreachable server removes nothing, and is reported", async () => {
      await xds.take();
      const before = xds.responses.length;
      gate.closed = true;
      try {
        const isStale = async () => (await get(binnacle.httpPort, "/debug/sources")).body.includes('"stale"');
        await eventually("the source is stale", isStale, { seconds: 20 });
      } finally {
        gate.closed = false;
      }
      await gate.answers(2);
      await xds.take();
      expect(xds.responses.slice(before)).toEqual([]);
    });

    test("a restarted server empties no service before its clients are back", async () => {
      await xds.take();
      const before = xds.history.length;
      await eureka[Symbol.asyncDispose]();
      gate.target = another.port;
      await gate.answers(2);
      await another.register({ app, id: "two", address: "127.0.0.2" });
      expect(await endpoints(1)).toEqual(["127.0.0.2:8080"]);
      const emptied = xds.history.slice(before).filter((line) => line === `${cluster}: `);
      expect(emptied).toEqual([]);
    });
  });
});

/** The end of a test removes its registrations. */
function subjectOf(eureka: Eureka): SourceSubject {
  const registered = new Set<string>();
  const url = `http://127.0.0.1:${eureka.port}/eureka`;
  const subject = eurekaSubject({
    servers: [new HttpEurekaServer({ url, clock: systemClock, timeoutMs: 10_000 })],
    async register(app, { port, host }) {
      registered.add(app);
      await eureka.register({ app, id: app, port, metadata: { host } });
    },
    async deregister(app) {
      registered.delete(app);
      await eureka.deregister(app, app);
    },
  });
  return {
    ...subject,
    async close() {
      for (const app of registered) await eureka.deregister(app, app);
    },
  };
}
