import { describe, expect, test } from "vitest";
import { isCidr, isIpAddress, isUnixAddress } from "./address.ts";

describe("addresses", () => {
  test.each([
    ["10.0.0.1", true],
    ["2001:db8::1", true],
    ["::", true],
    ["256.0.0.1", false],
    ["10.0.0", false],
    ["localhost", false],
    ["", false],
  ])("%j is an address: %s", (text, is) => {
    expect(isIpAddress(text)).toBe(is);
  });

  test.each(["10.0.0.0/8", "0.0.0.0/0", "10.0.0.1/32", "2001:db8::/128", "::/0"])("%s is a subnet", (text) => {
    expect(isCidr(text)).toBe(true);
  });

  test.each(["10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::/129", "10.0.0.0/8/8", "10.0.0.0/-1"])(
    "%s is no subnet",
    (text) => {
      expect(isCidr(text)).toBe(false);
    },
  );

  test.each([
    ["unix:///var/run/app.sock", true],
    ["unix://@abstract", true],
    ["unix:///var/run/", false],
    ["unix:///", false],
    ["unix://relative", false],
    ["unix://@", false],
    ["/var/run/app.sock", false],
  ])("%s names a socket: %s", (text, names) => {
    expect(isUnixAddress(text)).toBe(names);
  });
});
