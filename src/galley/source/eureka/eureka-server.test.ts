import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { HttpEurekaServer } from "./eureka-server.ts";

const empty = JSON.stringify({ applications: { apps__hashcode: "", application: [] } });
const nobody = { hashcode: "", listed: [], issues: new Map() };
const { signal } = new AbortController();

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

let http: Server;
let asked: Asked[];
let answer: (response: ServerResponse, headers: IncomingHttpHeaders) => void;

beforeEach(async () => {
  asked = [];
  answer = (response) => response.end(empty);
  http = createServer(({ url = "", headers }, response) => {
    asked.push({ path: url, headers });
    answer(response, headers);
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
});

afterEach(() => {
  http.closeAllConnections();
  http.close();
});

function server({
  clock = new FakeClock(),
  login,
}: {
  readonly clock?: FakeClock;
  readonly login?: () => string;
} = {}) {
  // A server that listens on a port has such an address.
  const { port } = http.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/eureka/`;
  return new HttpEurekaServer({ url, clock, timeoutMs: 1000, ...(login && { login }) });
}

function status(code: number): void {
  answer = (response) => response.writeHead(code).end("<html>");
}

describe("a server behind HTTP", () => {
  test("receives requests for JSON, compressed if possible, below its path", async () => {
    expect(await server().all(signal)).toEqual(nobody);
    expect(await server().changes(signal)).toEqual(nobody);
    expect(asked.map(({ path }) => path)).toEqual(["/eureka/apps", "/eureka/apps/delta"]);
    expect(asked[0]?.headers).toMatchObject({
      accept: "application/json",
      "accept-encoding": expect.stringContaining("gzip"),
    });
  });

  test("receives the current password with each request", async () => {
    const passwords = ["old", "new"];
    const secured = server({ login: () => `user:${passwords.shift()}` });
    await secured.all(signal);
    await secured.changes(signal);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(
      ["user:old", "user:new"].map((login) => `Basic ${Buffer.from(login).toString("base64")}`),
    );
  });

  test("with ETags receives conditional requests", async () => {
    answer = (response, headers) => {
      if (headers["if-none-match"] === '"1"') response.writeHead(304).end();
      else response.setHeader("etag", '"1"').end(empty);
    };
    const marked = server();
    const first = await marked.all(signal);
    expect(await marked.all(signal)).toBe(first);
    expect(asked).toHaveLength(2);
  });

  test.each([403, 404])("that answers %i has no deltas", async (code) => {
    status(code);
    expect(await server().changes(signal)).toBeUndefined();
  });

  test.each([403, 404, 500, 503])("that answers %i to a full request fails", async (code) => {
    status(code);
    await expect(server().all(signal)).rejects.toThrow(`/eureka returned ${code}`);
  });

  test.each([
    ["", "the answer to apps is cut off, or no JSON"],
    ["<applications/>", "the answer to apps is cut off, or no JSON"],
    ["[]", "returned no list of applications"],
    ['{"applications":null}', "returned no list of applications"],
  ])("that answers %j fails", async (text, problem) => {
    answer = (response) => response.end(text);
    await expect(server().all(signal)).rejects.toThrow(problem);
  });

  test("that is unreachable is named with the reason", async () => {
    const gone = server();
    http.close();
    await expect(gone.all(signal)).rejects.toThrow(/\/eureka: .*ECONNREFUSED/u);
  });

  test("times out, answer included", async () => {
    const clock = new FakeClock();
    answer = (response) => {
      response.write("{");
      clock.advance(1000);
    };
    await expect(server({ clock }).all(signal)).rejects.toThrow("no answer within 1000 ms");
  });

  test("is abandoned when the request is cancelled", async () => {
    const closing = new AbortController();
    answer = () => closing.abort();
    await expect(server().all(closing.signal)).rejects.toThrow("aborted");
  });
});
