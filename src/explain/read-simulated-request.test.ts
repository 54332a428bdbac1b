import { describe, expect, test } from "vitest";
import type { SimulatedRequest } from "./simulated-request.ts";
import { readSimulatedRequest } from "./read-simulated-request.ts";

describe("a request in the form of curl", () => {
  test.each<[string, Partial<SimulatedRequest>]>([
    ["http://shop.example.com/a?b=c", { port: 80, host: "shop.example.com", path: "/a?b=c", protocol: "http" }],
    ["http://reviews:9080", { port: 9080, host: "reviews:9080", path: "/" }],
    ["https://shop.example.com/", { port: 443, host: "shop.example.com", protocol: "tls", sni: "shop.example.com" }],
    ["https://shop.example.com:8443/", { port: 8443, host: "shop.example.com:8443", sni: "shop.example.com" }],
    ["http://10.0.0.1:81/", { port: 81, host: "10.0.0.1:81", address: "10.0.0.1" }],
    ["http://[fd00::1]:81/", { port: 81, host: "[fd00::1]:81", address: "fd00::1" }],
    ["tcp://mongo:27017", { port: 27017, host: "mongo:27017", protocol: "tcp" }],
  ])("%s", (url, expected) => {
    expect(readSimulatedRequest("GET", url, [])).toMatchObject(expected);
  });

  test("has lower-case header names, and the Host header as its host", () => {
    const headers = ["End-User: jason", "x-empty:", "Host:shop.example.com", "x-time: 12:30"];
    expect(readSimulatedRequest("POST", "http://127.0.0.1:8080/", headers)).toMatchObject({
      method: "POST",
      host: "shop.example.com",
      headers: { "end-user": "jason", "x-empty": "", "x-time": "12:30" },
      address: "127.0.0.1",
    });
  });

  test.each([
    ["reviews:9080/path", [], 'expected a URL such as http://reviews:9080/path, found "reviews:9080/path"'],
    ["/path", [], 'expected a URL such as http://reviews:9080/path, found "/path"'],
    ["ftp://reviews/", [], 'expected a URL such as http://reviews:9080/path, found "ftp://reviews/"'],
    ["tcp://mongo", [], "tcp://mongo: the port is missing, write tcp://HOST:PORT"],
    ["http://a/", ["end-user"], '--header: expected NAME:VALUE, found "end-user"'],
  ])("%s with %j is rejected", (url, headers, message) => {
    expect(() => readSimulatedRequest("GET", url, headers)).toThrow(
      expect.objectContaining({ code: "bad-option", message }),
    );
  });
});
