import { eventually } from "../../../../src/testing/eventually.ts";
import type { Random } from "../../../../src/testing/random/random.ts";
import { TcpProxy } from "../../support/abuse/tcp-proxy.ts";
import { metric } from "../../support/metrics.ts";
import { atScale } from "../../support/scale.ts";
import type { Fault, FaultOutcome } from "../fault.ts";
import { FaultedServer } from "../oracle/faulted-server.ts";
import { RecordedFleet } from "../oracle/recorded-fleet.ts";

const rounds = atScale({ quick: 2, whole: 20 });
/** Short keepalives on both sides, so that each notices in time that the other is gone. */
const alert = {
  args: ["--keepalive-interval", "1s", "--keepalive-timeout", "1s"],
  pings: { pingIntervalMs: 1_000, pingTimeoutMs: 1_000 },
};

/** A network of which the test has control, between the clients and the server. */
interface Network {
  readonly server: FaultedServer;
  readonly proxy: TcpProxy;
}

async function over(run: (network: Network) => Promise<FaultOutcome>, settings = {}): Promise<FaultOutcome> {
  await using stack = new AsyncDisposableStack();
  const proxies: TcpProxy[] = [];
  const clientPort = async (xdsPort: number) => {
    const proxy = stack.use(await TcpProxy.start(xdsPort));
    proxies.push(proxy);
    return proxy.port;
  };
  const server = stack.use(await FaultedServer.start({ clientPort, ...settings }));
  const [proxy] = proxies;
  if (proxy === undefined) throw new Error("the clients have no proxy");
  return await run({ server, proxy });
}

/**
 * Edits over a slow network, and once more after it has healed. Recovery is the time of the last edit. Clients beside the
 * slow network get every edit no later than those behind it, within a second.
 */
async function slowedDown(holdMs: (bytes: number) => number): Promise<FaultOutcome> {
  return await over(async ({ server, proxy }) => {
    using beside = new RecordedFleet(server.process.xdsPort);
    await server.recovered({ seconds: 30 }, beside);
    proxy.slowDown(holdMs);
    const late: string[] = [];
    for (let round = 0; round < rounds; round++) {
      server.edit();
      const [slow, fast] = await Promise.all([
        server.recovered({ seconds: 60 }),
        server.recovered({ seconds: 60 }, beside),
      ]);
      if (fast > slow + 1)
        late.push(`clients with a fast network waited ${fast.toFixed(1)} s, others ${slow.toFixed(1)} s`);
    }
    server.edit();
    proxy.heal();
    const seconds = await server.recovered({ seconds: 20 });
    await server.recovered({ seconds: 20 }, beside);
    return await server.outcome(seconds, [...late, ...beside.findings, ...server.endedStreams]);
  });
}

/** A lost packet arrives after the first or second time-out of TCP. */
function retransmitted(random: Random): number {
  return random.once(10) ? random.pick([200, 600]) : 1;
}

/** Faults of the connections between clients and the server. */
export const connectionFaults: readonly Fault[] = [
  {
    name: "connections that are reset",
    effect: "Proxies keep their configuration and connect again. A delta client resumes and gets only changes.",
    bound: { seconds: 5 },
    form: "whole",
    run: () =>
      over(async ({ server, proxy }) => {
        let worst = 0;
        for (let round = 0; round < rounds; round++) {
          server.edit();
          proxy.cut();
          worst = Math.max(worst, await server.recovered({ seconds: 20 }));
        }
        return await server.outcome(worst);
      }),
  },
  {
    name: "half-open connections",
    effect:
      "The server ends streams that answer no ping, after `--keepalive-interval` and `--keepalive-timeout`. Clients keep their configuration and get the newest state when they connect again.",
    bound: { seconds: 8 },
    run: () =>
      over(async ({ server, proxy }) => {
        proxy.silence();
        server.edit();
        const forgotten = async () => (await metric(server.process.metricsPort, "pilot_xds")) === 0;
        await eventually("the server has ended all streams", forgotten, { seconds: 20 });
        server.edit();
        proxy.heal();
        return await server.outcome(await server.recovered({ seconds: 20 }));
      }, alert),
  },
  {
    name: "delayed connections (200 ms per piece of data)",
    effect:
      "Streams stay open. While a response is unacknowledged, edits are combined, and the next response has the newest state.",
    bound: { seconds: 5 },
    form: "whole",
    run: ({ random }) => slowedDown(() => 150 + random.below(100)),
  },
  {
    name: "throttled connections (64 KiB/s)",
    effect: "Streams stay open. Clients with other connections do not wait for slow ones.",
    bound: { seconds: 5 },
    form: "whole",
    run: () => slowedDown((bytes) => (bytes / 65_536) * 1000),
  },
  {
    name: "lossy connections (one piece in ten waits for TCP to send it again)",
    effect: "Streams stay open, and updates arrive late. Clients with other connections do not wait for them.",
    bound: { seconds: 5 },
    form: "whole",
    run: ({ random }) => slowedDown(() => retransmitted(random)),
  },
];
