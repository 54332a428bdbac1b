import { eventually } from "../../../../src/testing/eventually.ts";
import { MeshDir } from "../../support/mesh-dir.ts";
import { whyUnavailable } from "../../support/peers.ts";
import { atScale } from "../../support/scale.ts";
import type { Fault, FaultOutcome } from "../fault.ts";
import { constantObjects, generationObjects, yamlOf } from "../oracle/generations.ts";
import { RecordedFleet } from "../oracle/recorded-fleet.ts";
import { etcdSubject } from "../sources/etcd-origin.ts";
import { kubeSubject } from "../sources/kube-origin.ts";
import type { Origin, SourceSubject } from "../sources/origin.ts";
import { zooKeeperSubject } from "../sources/zookeeper-origin.ts";
import { Balancer } from "./balancer.ts";
import { ReplicaPair } from "./replica-pair.ts";
import { rollingUpgrade } from "./rolling-upgrade.ts";

const moves = atScale({ quick: 2, whole: 20 });
const bound = { seconds: 10 };

/**
 * A replica may lag behind the other, so a client that moves may go back. The newest state must then arrive within the
 * bound, which {@link RecordedFleet.untilHolds} checks after every move.
 */
const mayGoBack = /went back from generation/u;

/** Clients move between two replicas of one origin, at rest and under edits. */
async function moveBetween<O extends Origin>(open: () => Promise<O>): Promise<FaultOutcome> {
  await using resources = new AsyncDisposableStack();
  const origin = resources.use(await open());
  const mesh = resources.use(new MeshDir());
  const edit = async (generation: number) => {
    const objects = (origin.objectsOf ?? generationObjects)(generation);
    const all = generation === 1 ? [...constantObjects(), ...objects] : objects;
    if (origin.write !== undefined) return await origin.write(all);
    mesh.write(
      `generation-${generation === 1 ? "constant" : "next"}.yaml`,
      yamlOf(generation === 1 ? constantObjects() : objects),
    );
    if (generation === 1) mesh.write("generation-next.yaml", yamlOf(objects));
    return void (await origin.join?.(generation));
  };
  await edit(1);
  const pair = resources.use(await ReplicaPair.start(origin, mesh));
  const [first, second] = pair.servers.map(({ xdsPort }) => xdsPort);
  const atRest = await unlikeness(pair);
  const balancer = resources.use(await Balancer.start([first ?? 0]));
  const fleet = resources.use(new RecordedFleet(balancer.port));
  await fleet.untilHolds(1, { seconds: 30 });
  let worst = 0;
  for (let move = 1; move <= moves; move++) {
    await edit(move + 1);
    balancer.use([(move % 2 === 0 ? first : second) ?? 0]);
    balancer.cut();
    worst = Math.max(worst, await fleet.untilHolds(move + 1, { seconds: 30 }));
  }
  const lost = await fleet.differencesFrom(second ?? 0);
  const findings = fleet.findings.filter((finding) => !mayGoBack.test(finding));
  const afterEdits = await unlikeness(pair);
  return {
    recoverySeconds: worst,
    lost: lost.length,
    findings: [...findings, ...atRest, ...afterEdits, ...lost.slice(0, 5)],
  };
}

/** Replicas that have read the same state give the same bytes, and send nothing to proxies that move. */
async function unlikeness(pair: ReplicaPair): Promise<readonly string[]> {
  let differences: readonly string[] = ["the replicas did not answer"];
  const isEqual = async () => {
    differences = await pair.differences();
    return differences.length === 0;
  };
  // One of the replicas may still read the last edit.
  await eventually("both replicas answer alike", isEqual, bound).catch(() => undefined);
  return [...differences, ...(await pair.sentToMovedProxies())];
}

function replicas<O extends Origin>({ name, peers = [], open }: SourceSubject<O>, form?: "whole"): Fault {
  return {
    name: `clients that move between two replicas of ${name} under edits`,
    effect:
      "Both replicas give the same bytes and versions. A delta client that moves is sent nothing but changes. A SotW client cannot tell what it holds, so by the protocol it is sent each type once, with the bytes that it holds. A client that meets a replica that lags behind gets the newest state within the bound.",
    bound,
    ...(form && { form }),
    unavailable: () => whyUnavailable(peers),
    run: () => moveBetween(open),
  };
}

/** Faults of several replicas. */
export const replicaFaults: readonly Fault[] = [
  replicas(etcdSubject),
  replicas(kubeSubject, "whole"),
  replicas(zooKeeperSubject, "whole"),
  rollingUpgrade,
];
