import { expect, test } from "vitest";
import { defaultOptions, type Options } from "../options/options.ts";
import { caKindOf, createsRoots } from "./ca-kind.ts";

const kindOf = (settings: Partial<Options>, env: NodeJS.ProcessEnv = {}) =>
  caKindOf({ ...defaultOptions(), ...settings }, env);
const xdsTls = "127.0.0.1:0";

test.each([
  ["no TLS port", {}, { type: "off" }],
  ["a TLS port with a certificate", { xdsTls, tlsCert: "cert.pem" }, { type: "off" }],
  ["a TLS port and off", { xdsTls, ca: "off" }, { type: "off" }],
  ["a TLS port alone", { xdsTls, caState: "/state" }, { type: "self-signed", directory: "/state" }],
  ["a directory", { xdsTls, ca: "./cacerts" }, { type: "plugged", directory: "./cacerts" }],
  ["a Secret", { xdsTls, ca: "secret:istio-ca-secret" }, { type: "secret", name: "istio-ca-secret" }],
  ["etcd", { xdsTls, ca: "etcd" }, { type: "etcd" }],
])("%s", (_settings, settings, kind) => {
  expect(kindOf(settings)).toEqual(kind);
});

test.each([
  ["self-signed", true],
  ["secret:istio-ca-secret", true],
  ["etcd", true],
  ["secret:cacerts", false],
  ["./cacerts", false],
])("--ca %s creates roots: %s", (ca, creates) => {
  expect(createsRoots(kindOf({ xdsTls, ca }))).toBe(creates);
});

test("the state is kept in the directory of the XDG specification", () => {
  const settings = { xdsTls, ca: "self-signed" };
  expect(kindOf(settings, { XDG_STATE_HOME: "/home/state" })).toMatchObject({ directory: "/home/state/binnacle" });
  expect(kindOf(settings)).toMatchObject({ directory: expect.stringMatching(/\.local\/state\/binnacle$/u) });
});

test.each([
  ["an authority without a TLS port", { ca: "self-signed" }, "--ca needs --xds-tls"],
  ["a misspelt value", { xdsTls, ca: "selfsigned" }, "expected off, self-signed"],
  ["a Secret without a name", { xdsTls, ca: "secret:" }, "is not the name of a Secret"],
])("%s is refused", (_settings, settings, message) => {
  expect(() => kindOf(settings)).toThrow(message);
});
