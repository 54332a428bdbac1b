import { isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seed } from "../testing/seed.ts";
import { isCidr, isIpAddress, isUnixAddress } from "./address.ts";

describe("addresses", () => {
  test("an address is what Node takes for one", () => {
    const part = fc.constantFrom("0", "1", "10", "255", "256", "ff", "db8", "00001", "::", ":", ".", "1.2.3.4", "");
    const noise = fc.array(part, { maxLength: 9 }).map((parts) => parts.join(""));
    const addresses = fc.oneof(fc.ipV4(), fc.ipV6(), noise);
    fc.assert(
      fc.property(addresses, (text) => {
        expect(isIpAddress(text)).toBe(isIP(text) !== 0);
      }),
      { seed, numRuns: 2000 },
    );
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
