import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { WebhookRegistrar } from "./registrar.ts";
import type { WebhookRegistry } from "./registry.ts";
import type { WebhookConfiguration } from "./webhook-patch.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly caBundle?: string; readonly url: string };
  readonly failurePolicy?: "Ignore" | "Fail";
}

function webhook(name: string): Webhook {
  return { name, clientConfig: { url: "https://webhook" }, failurePolicy: "Fail" };
}

/** A cluster with one configuration. Its webhook is asked when it is up and its authority is known. */
class FakeRegistry implements WebhookRegistry {
  webhooks: readonly Webhook[] | undefined = [webhook("one"), webhook("two")];
  up = true;
  authority = "old";
  readonly patches: object[] = [];
  readonly failures: Error[] = [];
  readonly #watchers = new Set<{ readonly onChange: () => void; readonly end: (error?: Error) => void }>();
  #version = 1;

  async read(): Promise<WebhookConfiguration | undefined> {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    if (this.webhooks === undefined) return undefined;
    return { metadata: { name: "binnacle", resourceVersion: String(this.#version) }, webhooks: this.webhooks };
  }

  async patch(patch: object): Promise<void> {
    this.patches.push(patch);
    const { webhooks } = patch as { readonly webhooks: readonly Webhook[] };
    const merged = (each: Webhook) => {
      const { clientConfig, ...more } = webhooks.find(({ name }) => name === each.name) ?? each;
      return { ...each, ...more, clientConfig: { ...each.clientConfig, ...clientConfig } };
    };
    this.change(this.webhooks?.map(merged));
  }

  async whyUnasked(names: readonly string[]): Promise<string | undefined> {
    if (!this.up) return "failed calling webhook";
    const known = this.webhooks?.some(
      ({ name, clientConfig }) => names.includes(name) && clientConfig.caBundle === base64(this.authority),
    );
    return known ? undefined : "certificate signed by unknown authority";
  }

  watch(onChange: () => void, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const watcher = { onChange, end: (error?: Error) => (error === undefined ? resolve() : reject(error)) };
    this.#watchers.add(watcher);
    signal.addEventListener("abort", () => reject(new Error("aborted")));
    return promise.finally(() => this.#watchers.delete(watcher));
  }

  change(webhooks: readonly Webhook[] | undefined): void {
    this.webhooks = webhooks;
    this.#version += 1;
    for (const { onChange } of this.#watchers) onChange();
  }

  /** Ends the watches. Changes before the next watch send no event. */
  cut(error?: Error): void {
    for (const { end } of this.#watchers) end(error);
    this.#watchers.clear();
  }

  get state(): unknown {
    return this.webhooks?.map(({ clientConfig, failurePolicy }) => [
      Buffer.from(clientConfig.caBundle ?? "", "base64").toString(),
      failurePolicy,
    ]);
  }
}

function registrar() {
  const clock = new FakeClock();
  const registry = new FakeRegistry();
  const story: string[] = [];
  const errors: string[] = [];
  const subject = new WebhookRegistrar({
    registry,
    clock,
    authorities: () => registry.authority,
    onUpdate: (policy) => story.push(policy),
    onMissing: () => story.push("missing"),
    onUnasked: (reason) => story.push(reason),
    onError: (error) => errors.push(String(error)),
  });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      await settled();
      clock.advance(100);
    }
    await settled();
  };
  return { clock, registry, story, errors, subject, pass };
}

const mended = [
  ["old", "Fail"],
  ["old", "Fail"],
];

describe("a registered webhook", () => {
  test("gets the failure policy Fail after it denied a test object, and Ignore until then", async () => {
    const { registry, story, subject, pass } = registrar();
    subject.start();
    await pass(2_000);
    expect(registry.patches).toMatchObject([
      { webhooks: [{ failurePolicy: "Ignore" }, { failurePolicy: "Ignore" }] },
      { webhooks: [{ failurePolicy: "Fail" }, { failurePolicy: "Fail" }] },
    ]);
    expect(registry.state).toEqual(mended);
    expect(story).toEqual(["certificate signed by unknown authority", "Ignore", "Fail"]);
  });

  test("keeps the failure policy Fail when it is down later", async () => {
    const { registry, subject, pass } = registrar();
    subject.start();
    await pass(3_000);
    registry.up = false;
    registry.change(registry.webhooks);
    await pass(120_000);
    expect(registry.state).toEqual(mended);
  });

  test("gets Ignore from a new process that cannot reach it, and Fail again when it can", async () => {
    const { registry, story, subject, pass } = registrar();
    registry.up = false;
    subject.start();
    await pass(10_000);
    expect(registry.state).toEqual([
      ["old", "Ignore"],
      ["old", "Ignore"],
    ]);
    registry.up = true;
    await pass(2_000);
    expect(registry.state).toEqual(mended);
    expect(story).toEqual(["failed calling webhook", "Ignore", "Fail"]);
  });

  test("is not written if it is up to date", async () => {
    const { registry, subject, pass } = registrar();
    registry.webhooks = [{ ...webhook("one"), clientConfig: { url: "https://webhook", caBundle: base64("old") } }];
    subject.start();
    await pass(130_000);
    expect(registry.patches).toEqual([]);
  });

  test("is repaired at once after a change, in our fields only", async () => {
    const { registry, subject, pass } = registrar();
    subject.start();
    await pass(3_000);
    const [one, two] = registry.webhooks ?? [];
    registry.change([{ ...webhook("one"), clientConfig: { url: "https://elsewhere" } }, ...(two ? [two] : [])]);
    await pass(300);
    expect(registry.state).toEqual(mended);
    expect(registry.webhooks?.[0]?.clientConfig.url).toBe("https://elsewhere");
    expect(one?.clientConfig.url).toBe("https://webhook");
    expect(registry.patches.at(-1)).toEqual({
      metadata: { resourceVersion: expect.any(String) },
      webhooks: [{ name: "one", clientConfig: { caBundle: base64("old") }, failurePolicy: "Fail" }],
    });
  });

  test("is repaired within a minute without a watch event", async () => {
    const { registry, subject, pass } = registrar();
    subject.start();
    await pass(3_000);
    registry.webhooks = [webhook("one")];
    await pass(61_000);
    expect(registry.state).toEqual([["old", "Fail"]]);
  });

  test("follows its CA certificate", async () => {
    const { registry, subject, pass } = registrar();
    subject.start();
    await pass(3_000);
    registry.authority = "new";
    subject.look();
    await pass(300);
    expect(registry.state).toEqual([
      ["new", "Fail"],
      ["new", "Fail"],
    ]);
  });

  test("is not recreated after its removal, and is updated when it exists again", async () => {
    const { registry, story, subject, pass } = registrar();
    subject.start();
    await pass(3_000);
    registry.change(undefined);
    await pass(1_000);
    expect([registry.webhooks, story.at(-1)]).toEqual([undefined, "missing"]);
    registry.change([webhook("one")]);
    await pass(1_000);
    expect(registry.state).toEqual([["old", "Fail"]]);
  });

  test("is watched again when a watch ends or fails, and missed changes are found", async () => {
    const { registry, errors, subject, pass } = registrar();
    subject.start();
    await pass(3_000);
    registry.cut();
    registry.webhooks = [webhook("one")];
    await pass(1_500);
    expect(registry.state).toEqual([["old", "Fail"]]);
    registry.cut(new Error("reset"));
    await pass(3_500);
    registry.change([webhook("two")]);
    await pass(300);
    expect([registry.state, errors]).toEqual([[["old", "Fail"]], ["Error: reset"]]);
  });

  test("is retried when it is unreachable, with the reason reported", async () => {
    const { registry, errors, subject, pass } = registrar();
    registry.failures.push(new Error("forbidden"), new Error("forbidden"));
    subject.start();
    await pass(6_000);
    expect(registry.state).toEqual(mended);
    expect(errors).toEqual(["Error: forbidden", "Error: forbidden"]);
  });

  test("is not updated after this process stops leading", async () => {
    const { clock, registry, subject, pass } = registrar();
    subject.start();
    await pass(3_000);
    await subject.stop();
    registry.change([webhook("one")]);
    subject.look();
    await pass(120_000);
    expect([registry.state, clock.pending]).toEqual([[["", "Fail"]], 0]);
  });
});
