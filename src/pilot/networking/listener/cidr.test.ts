import { expect, test } from "vitest";
import { cidrRangeOf, isGlobalUnicast, isUnspecified, subnetId } from "./cidr.ts";

test.each([
  ["10.1.2.3/8", "10.9.9.9/8"],
  ["10.1.2.3", "10.1.2.3/32"],
  ["2001:db8::1/32", "2001:0db8:ffff::/32"],
  ["::ffff:10.0.0.1", "::ffff:a00:1"],
])("%s and %s mean the same addresses", (one, other) => {
  expect(subnetId(one)).toBe(subnetId(other));
});

test.each([
  ["10.1.0.0/16", "10.1.0.0/17"],
  ["10.1.0.0/16", "10.2.0.0/16"],
  ["0.0.0.0/0", "::/0"],
  ["2001:db8::/32", "2001:db9::/32"],
])("%s and %s do not", (one, other) => {
  expect(subnetId(one)).not.toBe(subnetId(other));
});

test("an address without a mask is a subnet of one", () => {
  expect(cidrRangeOf("10.1.2.3")).toEqual({ addressPrefix: "10.1.2.3", prefixLen: 32 });
  expect(cidrRangeOf("fd00::1")).toEqual({ addressPrefix: "fd00::1", prefixLen: 128 });
  expect(cidrRangeOf("10.0.0.0/8")).toEqual({ addressPrefix: "10.0.0.0", prefixLen: 8 });
});

test("the unspecified address is no condition", () => {
  expect(["0.0.0.0", "0.0.0.0/0", "::", "::/0"].every(isUnspecified)).toBe(true);
  expect(["0.0.0.1", "::1"].some(isUnspecified)).toBe(false);
});

test.each([
  ["10.0.0.1", true],
  ["192.168.1.1", true],
  ["127.0.1.5", false],
  ["0.0.0.0", false],
  ["169.254.1.1", false],
  ["224.0.0.1", false],
  ["fd00::1", true],
  ["2001:db8::1", true],
  ["::1", false],
  ["::", false],
  ["fe80::1", false],
  ["ff02::1", false],
])("%s is reachable from other hosts: %s", (address, callable) => {
  expect(isGlobalUnicast(address)).toBe(callable);
});
