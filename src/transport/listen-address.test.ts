import { expect, test } from "vitest";
import { formatAddress, parseAddress } from "./listen-address.ts";

test.each([
  ["127.0.0.1:15010", { type: "tcp", host: "127.0.0.1", port: 15_010 }],
  ["pilot.mesh:0", { type: "tcp", host: "pilot.mesh", port: 0 }],
  ["[::1]:15010", { type: "tcp", host: "::1", port: 15_010 }],
  [":15010", { type: "tcp", host: "", port: 15_010 }],
  ["off", { type: "off" }],
])("%s is an address", (text, address) => {
  expect(parseAddress(text)).toEqual(address);
});

test.each([
  "",
  "15010",
  "127.0.0.1",
  "127.0.0.1:",
  "127.0.0.1:65536",
  "::1:15010",
  "[::1]",
  "[pilot]:1",
  "a b:1",
  "off:1x",
])("%j is not an address", (text) => {
  expect(parseAddress(text)).toBeUndefined();
});

test("an IPv6 host is written in brackets", () => {
  expect([formatAddress("::1", 80), formatAddress("127.0.0.1", 80)]).toEqual(["[::1]:80", "127.0.0.1:80"]);
});
