import { BlockList } from "node:net";
import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CidrRangeSchema } from "#gen/envoy/config/core/v3/address_pb.js";
import { runs, seed } from "../../testing/random/seed.ts";
import { holdsAddress } from "./cidr.ts";

function holds(addressPrefix: string, prefixLen: number, address: string): boolean {
  return holdsAddress(create(CidrRangeSchema, { addressPrefix, prefixLen }), address);
}

describe("a range of addresses", () => {
  test.each<[string, number, string, boolean]>([
    ["10.0.0.0", 8, "10.200.3.4", true],
    ["10.0.0.0", 8, "11.0.0.0", false],
    ["10.0.0.1", 32, "10.0.0.1", true],
    ["10.0.0.1", 0, "192.168.0.1", true],
    ["0.0.0.0", 0, "::1", false],
    ["2001:db8::", 32, "2001:db8:1::2", true],
    ["::ffff:0:0", 96, "::ffff:10.0.0.1", true],
    ["fe80::", 10, "fe80::1%eth0", true],
    ["10.0.0.0", 8, "localhost", false],
  ])("%s/%i holds %s: %s", (prefix, length, address, expected) => {
    expect(holds(prefix, length, address)).toBe(expected);
  });

  test.each([
    ["ipv4", fc.ipV4(), 32],
    ["ipv6", fc.ipV6(), 128],
  ] as const)("holds what Node's block lists hold (%s)", (family, addresses, bits) => {
    const property = fc.property(addresses, fc.nat(bits), addresses, (network, length, address) => {
      const list = new BlockList();
      list.addSubnet(network, length, family);
      expect(holds(network, length, address)).toBe(list.check(address, family));
      expect(holds(network, length, network)).toBe(true);
    });
    fc.assert(property, { seed, numRuns: runs(200) });
  });
});
