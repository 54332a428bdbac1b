import { describe, expect, test } from "vitest";
import { forbiddenRangeOf } from "./forbidden-address.ts";

describe("forbidden addresses of key sets", () => {
  test.each([
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["::1", "loopback"],
    ["0:0:0:0:0:0:0:1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["::127.0.0.1", "loopback"],
    ["64:ff9b::127.0.0.1", "loopback"],
    ["64:ff9b:1::7f00:1", "loopback"],
    ["2002:7f00:1::", "loopback"],
    ["2002:7f00:1:1234::5", "loopback"],
    ["0.0.0.0", "unspecified"],
    ["::", "unspecified"],
    ["::ffff:0.0.0.0", "unspecified"],
    ["169.254.169.254", "link-local"],
    ["::ffff:169.254.169.254", "link-local"],
    ["::ffff:a9fe:a9fe", "link-local"],
    ["64:ff9b::a9fe:a9fe", "link-local"],
    ["2002:a9fe:a9fe::1", "link-local"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["febf::1", "link-local"],
    ["100.100.100.200", "metadata-service"],
    ["168.63.129.16", "metadata-service"],
    ["192.0.0.192", "metadata-service"],
    ["fd00:ec2::254", "metadata-service"],
    ["::ffff:168.63.129.16", "metadata-service"],
    ["224.0.0.1", "multicast or reserved"],
    ["255.255.255.255", "multicast or reserved"],
    ["ff02::1", "multicast or reserved"],
    ["localhost", "unreadable"],
    ["", "unreadable"],
  ])("include %s, which is %s", (address, range) => {
    expect(forbiddenRangeOf(address)).toBe(range);
  });

  test.each([
    "10.0.0.1",
    "192.168.1.1",
    "8.8.8.8",
    "128.0.0.1",
    "169.253.0.1",
    "fd00::1",
    "2001:db8::1",
    "::ffff:10.0.0.1",
  ])("do not include %s", (address) => {
    expect(forbiddenRangeOf(address)).toBeUndefined();
  });
});
