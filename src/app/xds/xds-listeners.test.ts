import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { defaultOptions, type Options } from "../options/options.ts";
import { xdsListeners } from "./xds-listeners.ts";

const pair = { xdsTls: "127.0.0.1:0", tlsCert: "cert.pem", tlsKey: "key.pem" };

function listenersWith(settings: Partial<Options>) {
  return xdsListeners({
    options: { ...defaultOptions(), ...settings },
    clock: new FakeClock(),
    logger: new RecordingLogger(),
    methods: { methods: new Map() },
    authenticate: async () => ({ type: "refused", reasons: [] }),
    onRefused: () => {},
    onCertificate: () => {},
  });
}

describe("the listeners of xDS", () => {
  test("are one in plaintext, and with TLS a second one, which starts first", () => {
    expect(listenersWith({}).map(([name]) => name)).toEqual(["xds"]);
    expect(listenersWith({ ...pair, tlsCa: ["ca.pem"] }).map(([name]) => name)).toEqual(["xds-tls", "xds"]);
  });

  test.each([
    ["no certificate", { xdsTls: ":0", tlsKey: "key.pem" }, "--xds-tls needs --tls-cert and --tls-key"],
    ["no key", { xdsTls: ":0", tlsCert: "cert.pem" }, "--xds-tls needs --tls-cert and --tls-key"],
    ["no way to authenticate", pair, "--xds-tls needs --tls-ca, --jwt-issuer, --token-review or --xds-auth off"],
  ])("refuse TLS with %s", (_, settings, sentence) => {
    expect(() => listenersWith(settings)).toThrow(sentence);
  });

  test.each([
    ["CA certificates", { tlsCa: ["ca.pem"] }],
    ["an issuer of tokens", { jwtIssuer: "https://issuer.example" }],
    ["authentication off", { xdsAuth: false }],
  ])("accept TLS with %s", (_, settings) => {
    expect(listenersWith({ ...pair, ...settings })).toHaveLength(2);
  });
});
