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

/** A configuration that has a CA bundle. */
function trusting(name: string, pem: string): WebhookConfiguration {
  const clientConfig = { caBundle: Buffer.from(pem).toString("base64") };
  return { metadata: { name, resourceVersion: "1" }, webhooks: [{ name: ours, clientConfig }] };
}

function rig(first: readonly WebhookConfiguration[]) {
  let found = first;
  let notice: (() => void) | undefined;
  let refusals = 0;
  const clock = new FakeClock();
  const patches: (readonly [string, object])[] = [];
  const log: string[] = [];
  let authorities = "PEM";
  const registrar = new InjectorRegistrar({
    configurations: {
      list: async () => found,
      async patch(name, patch) {
        if (refusals-- > 0) throw new Error("conflict");
        patches.push([name, patch]);
      },
      watch(onChange, signal) {
        notice = onChange;
        return new Promise((end) => signal.addEventListener("abort", () => end()));
      },
    },
    clock,
    authorities: () => authorities,
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
  return {
    pass,
    patches,
    log,
    /** The API server has other configurations, and its watch says so. */
    change: (now: readonly WebhookConfiguration[]) => {
      found = now;
      notice?.();
    },
    replaceAuthorities: (pem: string) => {
      authorities = pem;
      registrar.look();
    },
    refuse: (times: number) => (refusals = times),
    stop: () => registrar.stop(),
  };
}

test("every configuration of the revision gets the CA bundle, only in the webhooks of the injection", async () => {
  const { pass, patches, log } = rig([
    configuration("default", ours, "other.example"),
    configuration("tag-prod", ours),
  ]);
  await pass(200);
  const webhooks = [{ name: ours, clientConfig: { caBundle: Buffer.from("PEM").toString("base64") } }];
  expect(patches).toEqual([
    ["default", { metadata: { resourceVersion: "1" }, webhooks }],
    ["tag-prod", { metadata: { resourceVersion: "1" }, webhooks }],
  ]);
  expect(log).toEqual(["updated default", "updated tag-prod"]);
});

test("a missing configuration is reported once", async () => {
  const { pass, log } = rig([]);
  await pass(200);
  await pass(61_000);
  await pass(200);
  expect(log).toEqual(["missing"]);
});

test("a configuration that appears later, or is edited, gets the CA bundle", async () => {
  const { pass, patches, change, log } = rig([]);
  await pass(200);
  change([configuration("late", ours)]);
  await pass(200);
  expect(patches.map(([name]) => name)).toEqual(["late"]);
  change([trusting("late", "PEM")]);
  await pass(200);
  expect(patches).toHaveLength(1);
  change([trusting("late", "somebody else")]);
  await pass(200);
  expect(patches).toHaveLength(2);
  expect(log).toEqual(["missing", "updated late", "updated late"]);
});

test("a configuration that was deleted is reported, and again after the next deletion", async () => {
  const { pass, patches, change, log } = rig([trusting("one", "PEM")]);
  await pass(200);
  for (const found of [[], [trusting("one", "PEM")], []]) {
    change(found);
    await pass(200);
  }
  expect([patches, log]).toEqual([[], ["missing", "missing"]]);
});

test("new CA certificates are written at once", async () => {
  const { pass, patches, replaceAuthorities } = rig([trusting("one", "PEM")]);
  await pass(200);
  replaceAuthorities("NEXT");
  await pass(200);
  const { webhooks } = trusting("one", "NEXT");
  expect(patches).toEqual([["one", { metadata: { resourceVersion: "1" }, webhooks }]]);
});

test("a refused patch is reported and tried again", async () => {
  const { pass, patches, refuse, log } = rig([configuration("one", ours)]);
  refuse(1);
  await pass(200);
  expect([patches.length, log]).toEqual([0, ["Error: conflict"]]);
  for (let turn = 0; turn < 10 && patches.length === 0; turn += 1) await pass(10_000);
  expect(patches).toHaveLength(1);
});

test("nothing is written after the end of the lead", async () => {
  const { pass, patches, stop, change } = rig([trusting("one", "PEM")]);
  await pass(200);
  await stop();
  change([configuration("one", ours)]);
  await pass(120_000);
  expect(patches).toEqual([]);
});
