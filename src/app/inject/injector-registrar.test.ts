import { setImmediate as settled } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { WebhookConfiguration } from "../kube/webhook/webhook-patch.ts";
import { InjectorRegistrar } from "./injector-registrar.ts";

const ours = "namespace.sidecar-injector.istio.io";

function configuration(name: string, ...webhooks: readonly string[]): WebhookConfiguration {
  return {
    metadata: { name, resourceVersion: "1" },
    webhooks: webhooks.map((webhook) => ({ name: webhook, clientConfig: {} })),
  };
}

function rig(found: readonly WebhookConfiguration[]) {
  const clock = new FakeClock();
  const patches: (readonly [string, object])[] = [];
  const log: string[] = [];
  const registrar = new InjectorRegistrar({
    configurations: {
      list: async () => found,
      patch: async (name, patch) => void patches.push([name, patch]),
      watch: (_onChange, signal) => new Promise((end) => signal.addEventListener("abort", () => end())),
    },
    clock,
    authorities: () => "PEM",
    onUpdate: (name) => log.push(`updated ${name}`),
    onMissing: () => log.push("missing"),
    onError: (error) => log.push(String(error)),
  });
  registrar.start();
  onTestFinished(() => registrar.stop());
  const pass = async (ms: number) => {
    clock.advance(ms);
    for (let turn = 0; turn < 10; turn += 1) await settled();
  };
  return { pass, patches, log };
}

test("every configuration of the revision gets the CA bundle, only in the webhooks of the injection", async () => {
  const { pass, patches, log } = rig([
    configuration("default", ours, "other.example"),
    configuration("tag-prod", ours),
  ]);
  await pass(200);
  const webhooks = [{ name: ours, clientConfig: { caBundle: Buffer.from("PEM").toString("base64") } }];
  expect(patches).toEqual(
    [
      ["default", { metadata: { name: "default", resourceVersion: "1" }, webhooks }].map((part) => part),
      ["tag-prod", { metadata: { name: "tag-prod", resourceVersion: "1" }, webhooks }],
    ].map(([name, patch]) => [name, { ...(patch as object), metadata: { resourceVersion: "1" } }]),
  );
  expect(log).toEqual(["updated default", "updated tag-prod"]);
});

test("a missing configuration is reported once", async () => {
  const { pass, log } = rig([]);
  await pass(200);
  await pass(61_000);
  await pass(200);
  expect(log).toEqual(["missing"]);
});
