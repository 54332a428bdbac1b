import { expect, test } from "vitest";
import { configId } from "../../../config/config.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { proxyWithName } from "../../../testing/model/proxy-with-name.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { type Rollout, Rollouts } from "./rollouts.ts";
import { classScope } from "./scope.ts";

const id = configId("VirtualService", "shop", "a");

/** A rollout among four proxies: after the first one, a second, and then all. Each has the verdict that a test sets. */
function rolloutAmongFour() {
  const clock = new FakeClock();
  const verdicts = new Map<string, Connection<Proxy>["verdict"]["type"]>();
  const connections = Array.from({ length: 4 }, (_, index) => {
    const client = proxyWithName(`router~10.0.0.${index + 1}~gw-${index}.shop~shop.svc.cluster.local`);
    const connection: Pick<Connection<Proxy>, "client" | "verdict"> = {
      client,
      get verdict() {
        const type = verdicts.get(client.nodeId) ?? "accepted";
        return type === "rejected" ? { type, reason: "no" } : { type };
      },
    };
    return connection as Connection<Proxy>;
  });
  const ends: string[] = [];
  const moves: Rollout[] = [];
  const rollouts = new Rollouts({
    clock,
    connections: () => connections,
    isTrusted: () => true,
    mayTry: () => true,
    isSearching: () => false,
    moved: (rollout) => moves.push(rollout),
    ended: (_, end) => ends.push(end),
  });
  const [first, second] = connections.map(({ client }) => client.nodeId);
  if (connections[0] === undefined || first === undefined || second === undefined) throw new Error("no proxies");
  rollouts.start(classScope(connections[0].client), new Map([[id, undefined]]), first);
  clock.advance(1_000);
  expect(moves.map(({ nodes }) => [...nodes])).toEqual([[first, second]]);
  return { clock, verdicts, ends, second };
}

test("a wave that all its proxies accept is the last one before all others", () => {
  const { clock, ends } = rolloutAmongFour();
  clock.advance(1_000);
  expect(ends).toEqual(["accepted"]);
});

test("a wave of which only half accepts in thirty seconds ends the rollout", () => {
  const { clock, verdicts, ends, second } = rolloutAmongFour();
  verdicts.set(second, "pending");
  clock.advance(29_000);
  expect(ends).toEqual([]);
  clock.advance(1_000);
  expect(ends).toEqual(["not answered"]);
});
