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

test.each(["json", "yaml"])("-o %s hides the values of Secrets", async (notation) => {
  const secrets = "/api/v1/secrets";
  const kube = await FakeKube.start([secrets]);
  onTestFinished(() => kube[Symbol.asyncDispose]());
  const metadata = { name: "shop", namespace: "edge", annotations: { applied: "aHVudGVyMg==" } };
  kube.put(secrets, { apiVersion: "v1", kind: "Secret", metadata, data: { password: "aHVudGVyMg==" } });
  const store = ["--store", "kube:", "--kubeconfig", kube.kubeconfig()];
  const { stdout, stderr } = await runCommand(["get", "secret", "-A", "-o", notation, ...store]);
  expect(stderr).toBe("");
  expect(stdout).toContain("[redacted]");
  expect(stdout).not.toContain("aHVudGVyMg==");
});
