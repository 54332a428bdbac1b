import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import type { ReplicaReport, ReplicaSettings } from "./support/ca/root-replica.ts";
import { Child } from "./support/child.ts";
import { describeWith } from "./support/peers.ts";
import { Etcd } from "./support/registry/etcd.ts";
import { shared } from "./support/shared.ts";

const describeWithEtcd = await describeWith("kube");
const isWhole = process.env["BINNACLE_WHOLE"] !== undefined;
const maxTtlMs = 4_000;
const patience = { seconds: 60 };
/** So far behind that it never ends a phase: only the replica that dies does, and its successor. */
const follower = { name: "follower", lateMs: 3_600_000 };

const phases = ["distribute", "sign", "retire", "steady"] as const;
const deaths = phases.flatMap((phase) => [
  { when: "before" as const, phase },
  { when: "after" as const, phase },
]);
/** In `npm test` one death in each phase. `npm run root-rotation` has all. */
const chosen = deaths.filter(({ when }, index) => isWhole || (when === "before") === index % 4 < 2);

function reportsOf(child: Child): readonly ReplicaReport[] {
  return child.linesLike(/^\{/u).map((line) => JSON.parse(line) as ReplicaReport);
}

/** Pairs of replicas whose workloads would refuse each other: certificates and trust are in use for the longest life. */
function refusals(all: readonly ReplicaReport[]): readonly string[] {
  return all.flatMap(({ at, signs, phase }) =>
    all
      .filter((other) => Math.abs(other.at - at) <= maxTtlMs && !other.trusts.includes(signs))
      .map((other) => `${signs} signs in ${phase}, ${other.trusts.join(" ")} trusted in ${other.phase}`),
  );
}

describeWithEtcd("a rotation of roots in etcd", () => {
  const world = shared(async (resources) => resources.use(await Etcd.start()));

  function start(mesh: string, settings: Omit<ReplicaSettings, "maxTtlMs">): Child {
    const script = fileURLToPath(new URL("support/ca/root-replica.ts", import.meta.url));
    const text = JSON.stringify({ ...settings, maxTtlMs });
    return new Child(process.execPath, [script, world().url(mesh), text], { listens: true });
  }

  test.concurrent.each(chosen)("survives a kill -9 $when the write of $phase", async (dies) => {
    const mesh = `${dies.when}-${dies.phase}`;
    await using dying = start(mesh, { name: "dying", dies });
    await using following = start(mesh, follower);
    for (const child of [dying, following]) await child.logged('"phase":"steady"', patience);
    dying.say("rotate");
    expect(await dying.exited).toBe("SIGKILL");
    await using successor = start(mesh, { name: "successor" });
    await successor.logged('"phase"', patience);
    const wasLost = mesh === "before-distribute";
    if (wasLost) successor.say("rotate");
    const ended = (child: Child) => {
      const last = reportsOf(child).at(-1);
      return last?.phase === "steady" && last.signs !== reportsOf(dying)[0]?.signs;
    };
    await eventually("the end of the rotation", () => ended(successor) && ended(following), patience);
    const all = [dying, following, successor].flatMap(reportsOf);
    expect(new Set(all.map(({ signs }) => signs)).size).toBe(2);
    expect(refusals(all)).toEqual([]);
    expect(reportsOf(successor).at(-1)?.trusts).toEqual([reportsOf(following).at(-1)?.signs]);
  });
});
