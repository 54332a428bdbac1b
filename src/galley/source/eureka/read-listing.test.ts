import { describe, expect, test } from "vitest";
import { readListing } from "./read-listing.ts";

const instance = {
  instanceId: "cart-1",
  hostName: "one.shop",
  app: "CART",
  ipAddr: "10.0.0.1",
  status: "UP",
  overriddenStatus: "UNKNOWN",
  port: { $: 8080, "@enabled": "true" },
  securePort: { $: 8443, "@enabled": "false" },
  metadata: { version: "v1" },
  actionType: "ADDED",
};

function listing(application: unknown, hashcode: unknown = "UP_1_") {
  return { applications: { versions__delta: "1", apps__hashcode: hashcode, application } };
}

/** The result of reading one instance. */
function read(fields: object) {
  return readListing(listing([{ name: "CART", instance: [fields] }]))?.listed[0];
}

describe("a listing", () => {
  test("is read as servers write it", () => {
    expect(readListing(listing([{ name: "CART", instance: [instance] }]))).toEqual({
      hashcode: "UP_1_",
      listed: [
        {
          gone: false,
          instance: {
            app: "CART",
            id: "cart-1",
            hostname: "one.shop",
            address: "10.0.0.1",
            status: "UP",
            inService: true,
            port: { number: 8080, enabled: true },
            securePort: { number: 8443, enabled: false },
            metadata: { version: "v1" },
          },
        },
      ],
      issues: new Map(),
    });
  });

  test("may have objects instead of lists of one, and strings instead of numbers", () => {
    const single = { ...instance, port: { $: "8080", "@enabled": true }, securePort: 8443 };
    expect(readListing(listing({ name: "cart", instance: single }))?.listed).toMatchObject([
      { instance: { app: "CART", port: { number: 8080, enabled: true }, securePort: { number: 8443, enabled: true } } },
    ]);
  });

  test("may have no application, and no list of applications", () => {
    expect(readListing(listing([], ""))).toEqual({ hashcode: "", listed: [], issues: new Map() });
    expect(readListing(listing(undefined, undefined))?.listed).toEqual([]);
  });

  test.each([undefined, null, "", [], {}, { applications: "none" }, { error: "no" }])("is not %j", (json) => {
    expect(readListing(json)).toBeUndefined();
  });

  test("skips invalid instances, and reports them as issues of their application", () => {
    const { listed, issues } = readListing(listing([{ name: "CART", instance: [instance, {}, "?"] }])) ?? {};
    expect(listed).toHaveLength(1);
    expect(issues?.get("CART")?.map(({ message }) => message)).toEqual([
      "an instance of CART has neither an instanceId nor a hostName",
      "an instance of CART has neither an instanceId nor a hostName",
    ]);
  });
});

describe("an instance", () => {
  test.each([
    [{ status: "UP" }, true],
    [{ status: "up" }, true],
    [{ status: "DOWN" }, false],
    [{ status: "STARTING" }, false],
    [{ status: "UP", overriddenStatus: "OUT_OF_SERVICE" }, false],
    [{ status: "UP", overriddenStatus: undefined, overriddenstatus: "DOWN" }, false],
    [{ status: "DOWN", overriddenStatus: "UP" }, true],
    [{ status: undefined }, false],
  ])("with %j may receive requests: %j", (fields, inService) => {
    expect(read({ ...instance, ...fields })?.instance.inService).toBe(inService);
  });

  test("has no valid port where the server sends something else than a number", () => {
    const strange = { $: { toString: 1, valueOf: 1 }, "@enabled": { toString: 1 } };
    expect(read({ ...instance, port: strange })?.instance.port).toEqual({ number: Number.NaN, enabled: false });
  });

  test("without id and address uses its hostname", () => {
    expect(read({ ...instance, instanceId: undefined, ipAddr: "" })?.instance).toMatchObject({
      id: "one.shop",
      address: "one.shop",
    });
  });

  test("is gone when the server reports a deletion, whatever its status", () => {
    expect(read({ ...instance, actionType: "DELETED" })?.gone).toBe(true);
    expect(read({ ...instance, actionType: "MODIFIED" })?.gone).toBe(false);
  });
});
