import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";
import { FakeKube } from "../../testing/server/fake-kube.ts";

const entries = "/apis/networking.istio.io/v1/serviceentries";

/** A cluster with one ServiceEntry in each of two namespaces; all requests for them are kept. */
async function cluster() {
  const kube = await FakeKube.start([entries]);
  onTestFinished(() => kube[Symbol.asyncDispose]());
  for (const namespace of ["shop", "bank"]) {
    const metadata = { name: "ratings", namespace };
    kube.put(entries, { apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata, spec: {} });
  }
  const store = ["--store", "kube:", "--kubeconfig", kube.kubeconfig()];
  return async (...args: readonly string[]) => (await runCommand(["get", "se", ...args, ...store])).stdout;
}

test("-A lists every namespace, whatever --namespace says", async () => {
  const get = await cluster();
  const lines = (await get("-A", "-n", "shop")).split("\n").map((line) => line.split(/ +/u).slice(0, 2).join(" "));
  expect(lines.toSorted()).toEqual(["NAMESPACE NAME", "bank ratings", "shop ratings"]);
});

test("-o name has one line per object, for other commands", async () => {
  const get = await cluster();
  const name = "serviceentry.networking.istio.io/ratings";
  expect(await get("-A", "-o", "name")).toBe(`${name}\n${name}`);
});
