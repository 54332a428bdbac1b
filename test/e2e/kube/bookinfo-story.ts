/**
 * Runs in its own network namespace, where pods can have addresses: an API server rejects loopback addresses. Plays the
 * story of a shop on Kubernetes whose reviews a real Envoy calls. Prints as JSON which pods answered in each chapter.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { eventually } from "../../../src/testing/eventually.ts";
import { startBinnacle } from "../support/binnacle/server.ts";
import { sidecarNode } from "../support/envoy/bootstrap.ts";
import { startEnvoy } from "../support/envoy/envoy.ts";
import { many } from "../support/http.ts";
import { Kube } from "../support/kube/kube.ts";
import { apply, bookinfo, endPod, podOf, port, runPod, versionsOfReviews } from "../support/kube/kube-bookinfo.ts";
import { openDefinition } from "../support/kube/kube-objects.ts";
import { MeshDir } from "../support/mesh-dir.ts";

export interface Chapter {
  readonly chapter: string;
  /** The number of answers of each pod to the last hundred requests. */
  readonly answered: Readonly<Record<string, number>>;
}

/** The troubles that Envoy reports. */
export interface Ending {
  readonly troubles: readonly string[];
}

const run = promisify(execFile);
const kinds = { VirtualService: "virtualservices", DestinationRule: "destinationrules" };

/** Starts a pod that serves: its address, its process, and its Kubernetes object. */
async function serve(kube: Kube, name: string, address: string): Promise<void> {
  await run("ip", ["addr", "add", `${address}/32`, "dev", "lo"]);
  const server = createServer((_request, response) => response.setHeader("x-echo", name).end(name));
  server.listen(port, address);
  await once(server, "listening");
  await runPod(kube, podOf(name, address));
}

/** Resolves when exactly these pods answer. */
async function tell(chapter: string, ...pods: readonly string[]): Promise<void> {
  const ask = async () => {
    const answered = await many(100, port, "/", { host: "reviews.bookinfo.svc.cluster.local" });
    return [...answered.keys()].toSorted().join() === pods.join() ? Object.fromEntries(answered) : undefined;
  };
  const answered = await eventually(`${pods.join()} answer`, ask, { seconds: 60 });
  process.stdout.write(`${JSON.stringify({ chapter, answered } satisfies Chapter)}\n`);
}

async function main(): Promise<void> {
  await run("ip", ["link", "set", "lo", "up"]);
  await using kube = await Kube.start({ controllers: true });
  await kube.define(Object.entries(kinds).map(([kind, plural]) => openDefinition({ kind, plural })));
  await apply(kube, [...bookinfo(), ...versionsOfReviews("v1")]);
  await serve(kube, "reviews-v1", "10.1.0.1");
  await serve(kube, "reviews-v2", "10.1.0.2");
  using nothing = new MeshDir();
  const args = ["--source", "kube:", "--kubeconfig", kube.kubeconfig("admin")];
  await using binnacle = await startBinnacle({ dir: nothing.path, args });
  await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta", node: sidecarNode });
  await envoy.settled({ seconds: 60 });
  await tell("as the rules say", "reviews-v1");
  await apply(kube, versionsOfReviews("v1", "v2"));
  await tell("after the rules were changed", "reviews-v1", "reviews-v2");
  await serve(kube, "reviews-v1-b", "10.1.0.3");
  await tell("after scaling up", "reviews-v1", "reviews-v1-b", "reviews-v2");
  await endPod(kube, "reviews-v1");
  await tell("after scaling down", "reviews-v1-b", "reviews-v2");
  process.stdout.write(`${JSON.stringify({ troubles: await envoy.troubles() } satisfies Ending)}\n`);
}

await main();
// The serving processes do not end by themselves.
process.exit(0);
