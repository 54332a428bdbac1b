import { describe, expect, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { OverloadPart } from "../overload/overload-part.ts";
import { LogScopes } from "../log/log-scopes.ts";
import { defaultOptions, type Options } from "../options/options.ts";
import { Listeners } from "../process/listeners.ts";
import { ShownCertificates } from "../process/shown-certificates.ts";
import { webhookParts } from "./webhook-part.ts";

function webhook(settings: Partial<Options>, listeners = new Listeners()) {
  const options = { ...defaultOptions(), ...settings };
  const logs = new LogScopes(new RecordingLogger(), options.logLevel);
  const metrics = new Metrics();
  const supervisor = new FailingParts();
  const load = new OverloadPart({ supervisor, logger: new RecordingLogger(), meter: undefined });
  const certificates = new ShownCertificates();
  const parts = { logs, metrics, supervisor, listeners, certificates, load, watchdog: undefined };
  const context = { options, clock: new FakeClock(), version: "", ...parts };
  return webhookParts(context, new Map());
}

describe("the webhook's settings", () => {
  test("the webhook is off by default, and then needs no certificate", () => {
    expect(webhook({})).toEqual([]);
  });

  test.each<Partial<Options>>([{}, { webhookCert: "cert.pem" }, { webhookKey: "key.pem" }])(
    "the webhook needs a certificate and a key: %j",
    (files) => {
      expect(() => webhook({ webhook: ":9443", ...files })).toThrow("--webhook needs --webhook-cert and --webhook-key");
    },
  );

  test("the part is ready when the webhook listens", async () => {
    const listeners = new Listeners();
    const settings = { webhook: ":9443", webhookCert: "cert.pem", webhookKey: "key.pem" };
    const [part] = webhook(settings, listeners);
    expect(part?.components.map(({ name }) => name)).toEqual(["webhook"]);
    expect([part?.emitter.name, part?.emitter.awaited()]).toEqual(["validation", ["listener"]]);
    const listening = listeners.component("webhook", { start: async () => "127.0.0.1:9443", stop: async () => {} });
    await listening.start();
    expect(part?.emitter.awaited()).toEqual([]);
  });

  test("an invalid address is refused", () => {
    const files = { webhookCert: "cert.pem", webhookKey: "key.pem" };
    expect(() => webhook({ webhook: "nowhere", ...files })).toThrow("nowhere is not an address like :9443");
  });
});
