import { describe, expect, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { defaultOptions, type Options } from "../options/options.ts";
import { webhookFrom } from "./webhook.ts";

function webhook(options: Partial<Options>) {
  const surroundings = { clock: new FakeClock(), logger: new RecordingLogger(), metrics: new Metrics() };
  return webhookFrom({ ...defaultOptions(), ...options }, surroundings);
}

describe("the webhook's settings", () => {
  test("it is off unless asked for, and needs no certificate then", async () => {
    expect(await webhook({}).start()).toBe("off");
  });

  test.each<Partial<Options>>([{}, { webhookCert: "cert.pem" }, { webhookKey: "key.pem" }])(
    "with %j it has nothing to serve with",
    (files) => {
      expect(() => webhook({ webhook: ":9443", ...files })).toThrow("--webhook needs --webhook-cert and --webhook-key");
    },
  );

  test("an address that is none is refused", () => {
    const files = { webhookCert: "cert.pem", webhookKey: "key.pem" };
    expect(() => webhook({ webhook: "nowhere", ...files })).toThrow("nowhere is not an address like :9443");
  });
});
