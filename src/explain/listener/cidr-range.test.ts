import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { CidrRangeSchema } from "#gen/envoy/config/core/v3/address_pb.js";
import { holdsAddress } from "./cidr-range.ts";

function holds(addressPrefix: string, prefixLen: number, address: string): boolean {
  return holdsAddress(create(CidrRangeSchema, { addressPrefix, prefixLen }), address);
}

describe("a range of addresses", () => {
  test.each<[string, number, string, boolean]>([
    ["10.0.0.0", 8, "10.200.3.4", true],
    ["10.0.0.0", 8, "11.0.0.0", false],
    ["10.0.0.1", 32, "10.0.0.1", true],
    ["10.0.0.1", 0, "192.168.0.1", true],
    ["10.0.0.1", 40, "10.0.0.1", true],
    ["0.0.0.0", 0, "::1", false],
    ["2001:db8::", 32, "2001:db8:1::2", true],
    ["::ffff:0:0", 96, "::ffff:10.0.0.1", true],
    ["fe80::", 10, "fe80::1%eth0", true],
    ["10.0.0.0", 8, "localhost", false],
  ])("%s/%i holds %s: %s", (prefix, length, address, expected) => {
    expect(holds(prefix, length, address)).toBe(expected);
  });
});
