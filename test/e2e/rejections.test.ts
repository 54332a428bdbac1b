import { describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { endpointType, routeType } from "../../src/xds/type-urls.ts";
import { type Echo, startEcho } from "./support/envoy/echo.ts";
import { type EnvoyProcess, startEnvoy } from "./support/envoy/envoy.ts";
import {
  rawCluster,
  rawListener,
  rawRoutes,
  refusedEndpoints,
  startRawServer,
  unreadableRoutes,
} from "./support/envoy/raw-server.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");

const bound = { seconds: 20 };

type RawServer = Awaited<ReturnType<typeof startRawServer>>;
type Resources = Parameters<RawServer["set"]>[0];

interface Setting extends AsyncDisposable {
  readonly server: RawServer;
  readonly envoy: EnvoyProcess;
  /** Serves both clusters and these resources. */
  readonly serve: (...resources: Resources) => void;
  readonly ports: readonly [number, number];
  readonly echoes: readonly [Echo, Echo];
}

/** A real Envoy that sends requests for its first port to the workload `one`. */
async function startWithEnvoy(mode: "sotw" | "delta", ackTimeoutMs = 15_000): Promise<Setting> {
  const stack = new AsyncDisposableStack();
  const [one, two] = [stack.use(await startEcho("one")), stack.use(await startEcho("two"))];
  const ports = [await freePort(), await freePort()] as const;
  const clusters = [one, two].flatMap(({ name, port }: Echo) => rawCluster(name, port));
  const server = stack.use(await startRawServer({ ackTimeoutMs }));
  const serve = (...resources: Resources) => server.set([...clusters, ...resources]);
  serve(rawListener("first", ports[0]), rawRoutes("first", "one"));
  const envoy = stack.use(await startEnvoy({ xdsPort: server.port, mode }));
  await answered(ports[0], "one");
  return { server, envoy, serve, ports, echoes: [one, two], [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Until requests for this port reach this workload. */
async function answered(port: number, workload: string): Promise<void> {
  const isAnswered = async () => {
    const { status, body } = await get(port, "/");
    return status === 200 && body.includes(`"name":"${workload}"`);
  };
  await eventually(`${workload} answers`, isAnswered, bound);
}

async function rejected({ envoy }: Setting): Promise<void> {
  await envoy.waitFor(async () => (await envoy.stat("http.first.rds.first.update_rejected")) > 0);
}

describeWithEnvoy("a rejected route", () => {
  test.each(["sotw", "delta"] as const)("does not delay the routes of a new listener, %s", async (mode) => {
    await using setting = await startWithEnvoy(mode);
    const { serve, ports } = setting;
    // Envoy asks for the second routes when it rejects the first.
    const listeners = [rawListener("first", ports[0]), rawListener("second", ports[1])];
    serve(...listeners, unreadableRoutes("first"), rawRoutes("second", "two"));
    await answered(ports[1], "two");
    await rejected(setting);
    await answered(ports[0], "one");
    expect([...(setting.server.subscription(routeType)?.rejected.keys() ?? [])]).toEqual(["first"]);
  });

  test.each(["sotw", "delta"] as const)("does not block other routes, %s", async (mode) => {
    await using setting = await startWithEnvoy(mode);
    const { serve, ports } = setting;
    const listeners = [rawListener("first", ports[0]), rawListener("second", ports[1])];
    serve(...listeners, rawRoutes("first", "one"), rawRoutes("second", "one"));
    await answered(ports[1], "one");
    // Both in one response, which Envoy rejects as a whole: the good one arrives without another edit.
    serve(...listeners, unreadableRoutes("first"), rawRoutes("second", "two"));
    await answered(ports[1], "two");
    await rejected(setting);
    serve(...listeners, unreadableRoutes("first"), rawRoutes("second", "one"));
    await answered(ports[1], "one");
    expect(setting.server.subscription(routeType)?.state).toBe("rejected");
    serve(...listeners, rawRoutes("first", "two"), rawRoutes("second", "one"));
    await answered(ports[0], "two");
    await eventually(
      "the routes are accepted",
      () => setting.server.subscription(routeType)?.state === "synced",
      bound,
    );
  });

  describe("with a NACK after the time-out", () => {
    test("counts although newer routes were sent since", async () => {
      await using setting = await startWithEnvoy("delta", 200);
      const { server, envoy, serve, ports, echoes } = setting;
      const listeners = [rawListener("first", ports[0]), rawListener("second", ports[1])];
      serve(...listeners, rawRoutes("first", "one"), rawRoutes("second", "one"));
      await answered(ports[1], "one");
      envoy.pause();
      serve(...listeners, unreadableRoutes("first"), rawRoutes("second", "one"));
      const sent = server.subscription(routeType)?.sentNonce;
      serve(...listeners, unreadableRoutes("first"), rawRoutes("second", "two"));
      await eventually("newer routes leave", () => server.subscription(routeType)?.sentNonce !== sent, bound);
      // The cluster is gone, but the client has not said yet whether it takes the routes without it.
      server.set([
        ...rawCluster("two", echoes[1].port),
        ...listeners,
        unreadableRoutes("first"),
        rawRoutes("second", "two"),
      ]);
      const isOverdue = () => server.subscription(routeType)?.blocked === false;
      await eventually("the newer routes are overdue, too", isOverdue, bound);
      envoy.resume();
      await answered(ports[1], "two");
      await eventually(
        "the rejection counts",
        () => server.subscription(routeType)?.rejected.has("first") === true,
        bound,
      );
      expect(server.subscription(routeType)?.state).toBe("rejected");
      // The routes that it kept lead to that cluster.
      await answered(ports[0], "one");
      serve(...listeners, rawRoutes("first", "two"), rawRoutes("second", "two"));
      await answered(ports[0], "two");
    });
  });
});

describeWithEnvoy("rejected endpoints", () => {
  test.each(["sotw", "delta"] as const)("keep their last good version, and do not delay others, %s", async (mode) => {
    await using setting = await startWithEnvoy(mode);
    const { server, ports, echoes } = setting;
    const [one, two] = echoes;
    const mesh = [
      rawListener("first", ports[0]),
      rawListener("second", ports[1]),
      rawRoutes("first", "one"),
      rawRoutes("second", "two"),
    ];
    const endpoints = () => server.subscription(endpointType);
    for (const how of ["unreadable", "inapplicable"] as const) {
      server.set([...rawCluster("one", one.port), ...rawCluster("two", two.port), ...mesh]);
      await answered(ports[1], "two");
      await eventually("endpoints are accepted", () => endpoints()?.state === "synced", bound);
      // Both in one response: the good ones arrive without another edit.
      const refused = rawCluster("one", one.port).map((each) =>
        each.typeUrl === endpointType ? refusedEndpoints("one", how) : each,
      );
      server.set([...refused, ...rawCluster("two", one.port), ...mesh]);
      await answered(ports[1], "one");
      await eventually(
        "one is rejected alone",
        () => [...(endpoints()?.rejected.keys() ?? [])].join() === "one",
        bound,
      );
      await answered(ports[0], "one");
      expect(endpoints()?.state).toBe("rejected");
    }
  });
});
