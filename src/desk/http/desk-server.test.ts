import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HttpServer } from "../../admin/http-server.ts";
import { text } from "../../admin/route.ts";
import { append } from "../../lib/append.ts";
import { Overload } from "../../lib/overload/overload.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { deskRig } from "../../testing/desk/desk-rig.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { apiEndpoints } from "../api/endpoints.ts";
import { EventHub } from "../events/event-hub.ts";
import { DeskFiles } from "./desk-files.ts";
import { DeskServer } from "./desk-server.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const html = { accept: "text/html" };
/** A request that came through a proxy is not local: it needs a token. */
const remote = { "x-forwarded-for": "192.0.2.1" };
const longScript = "export const word = 'compressible';\n".repeat(100);
const clock = new FakeClock();
let base = "";
let unbuilt = "";
let loaded = "";
const closing: (() => Promise<void>)[] = [];

async function serve(folder: string, overload?: Overload): Promise<string> {
  const { state } = await deskRig();
  const viewers = {
    authenticate: async ({ headers }: { headers: { authorization?: string | undefined } }) => {
      const namespace = /^Bearer token-(\w+)$/u.exec(headers.authorization ?? "")?.[1];
      return namespace === undefined
        ? ({ type: "refused", reasons: ["no token"] } as const)
        : ({ type: "identified", identities: [`spiffe://cluster.local/ns/${namespace}/sa/x`] } as const);
    },
    systemNamespaces: () => ["operators"],
  };
  const guest = new DeskServer({
    state,
    endpoints: apiEndpoints(state),
    hub: new EventHub(state, clock),
    files: new DeskFiles(folder),
    viewers,
    clock,
    timeOf: (ms) => new Date(ms),
    logger: new RecordingLogger(),
  });
  const routes = [{ path: "/", doc: "index", open: true, answer: () => text("index of the port") }];
  const server = new HttpServer({
    address: "127.0.0.1:0",
    routes,
    guest,
    viewers,
    ...(overload && { overload }),
    logger: new RecordingLogger(),
    onFailure(thrown) {
      throw thrown;
    },
  });
  closing.push(() => server.stop());
  return `http://${await server.start()}`;
}

beforeAll(async () => {
  const tree = await TempTree.create();
  closing.push(() => tree.close());
  await tree.write("index.html", "<!doctype html><title>Desk</title>");
  await tree.write("assets/desk-123.js", "export {};");
  await tree.write("assets/desk-456.js", longScript);
  await tree.write("assets/notes.txt", "not served");
  base = await serve(tree.path(""));
  unbuilt = await serve(tree.path("nothing"));
  const overload = new Overload();
  const heap = { usedBytes: 91, limitBytes: 100 };
  overload.measured({ loopDelayMs: 0, heap, resident: { ...heap, usedBytes: 0 }, queueMs: 0 });
  loaded = await serve(tree.path(""), overload);
});

afterAll(async () => {
  for (const close of closing) await close();
});

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${base}${path}`, init);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

describe("the pages of the desk", () => {
  test.each([
    "/",
    "/changes",
    "/changes/s-1",
    "/history",
    "/proxies/a~b",
    "/mesh",
    "/configuration/x",
    "/explain",
    "/control-plane",
  ])("%s is the shell, never stored, with a strict policy", async (path) => {
    const { status, headers, body } = await ask(path, { headers: html });
    expect(status).toBe(200);
    expect(body).toContain("<title>Desk");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toBe(policy);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test.each(["/", "/control-plane", "/assets/desk-123.js", "/api/v1/session", "/api/v1/control-plane"])(
    "an overloaded server answers %s, because it says what to do",
    async (path) => {
      // Each is cheap, so none has to wait for its turn.
      const answers = await Promise.all([1, 2, 3].map(() => fetch(`${loaded}${path}`, { headers: html })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    },
  );

  test.each(["/api/v1/overview", "/api/v1/proxies", "/api/v1/events"])(
    "an overloaded server refuses %s, and says when to ask again",
    async (path) => {
      const { status, headers } = await fetch(`${loaded}${path}`);
      expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
    },
  );

  test("a client that is no browser gets the index of the port at /", async () => {
    expect((await ask("/", { headers: { accept: "*/*" } })).body).toBe("index of the port\n");
  });

  test("built files are stored for ever, with their content type", async () => {
    const { status, headers, body } = await ask("/assets/desk-123.js", { headers: remote });
    expect([status, body]).toEqual([200, "export {};"]);
    expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  test.each([
    ["gzip, deflate, br", "/assets/desk-456.js", "gzip"],
    ["br;q=1.0, gzip;q=0.8", "/assets/desk-456.js", "gzip"],
    ["gzip;q=0", "/assets/desk-456.js", null],
    ["gzip;q=0, br", "/assets/desk-456.js", null],
    ["identity", "/assets/desk-456.js", null],
    // Compressed, it would be longer.
    ["gzip", "/assets/desk-123.js", null],
  ])("a client that accepts %s gets %s with the encoding %s", async (accepted, path, encoding) => {
    const { headers, body } = await ask(path, { headers: { "accept-encoding": accepted } });
    expect(headers.get("content-encoding")).toBe(encoding);
    expect(headers.get("vary")).toBe("accept-encoding");
    expect(Number(headers.get("content-length")) < body.length).toBe(encoding === "gzip");
    expect(body).toBe(path === "/assets/desk-456.js" ? longScript : "export {};");
  });

  test.each(["/assets/other.js", "/assets/notes.txt", "/assets/..%2findex.html", "/assets/", "/screens"])(
    "%s is not found",
    async (path) => expect((await ask(path, { headers: html })).status).toBe(404),
  );

  test("HEAD has the headers of GET, and no body", async () => {
    const { status, headers, body } = await ask("/assets/desk-123.js", { method: "HEAD" });
    expect([status, headers.get("content-length"), body]).toEqual([200, "10", ""]);
  });

  test("POST to a page is refused", async () => {
    expect((await ask("/assets/desk-123.js", { method: "POST" })).status).toBe(405);
  });

  test("a desk that is not built says so, and its API works", async () => {
    const page = await fetch(`${unbuilt}/`, { headers: html });
    expect(page.status).toBe(503);
    expect(await page.text()).toContain("The desk is not built");
    expect((await fetch(`${unbuilt}/api/v1/overview`)).status).toBe(200);
  });

  test("a page of another site is refused", async () => {
    expect((await ask("/api/v1/overview", { headers: { origin: "http://evil.example" } })).status).toBe(403);
  });
});

describe("the API", () => {
  test.each([
    ["/api/v1/nope", 404],
    ["/api/v1/changes/s-99999", 404],
    ["/api/v1/proxies/%E0%A4%A", 404],
    ["/api/v1/overview", 200],
  ])("answers %s with %i in JSON", async (path, status) => {
    const answer = await ask(path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect("error" in JSON.parse(answer.body)).toBe(status !== 200);
  });

  test("refuses other methods", async () => {
    expect((await ask("/api/v1/overview", { method: "PUT", body: "{}" })).status).toBe(405);
  });

  test("needs a token from remote clients, who see their namespace", async () => {
    expect((await ask("/api/v1/overview", { headers: remote })).status).toBe(401);
    const headers = { ...remote, authorization: "Bearer token-aaa" };
    expect(JSON.parse((await ask("/api/v1/proxies", { headers })).body)).toMatchObject({ total: 1 });
  });

  test("pages of a list follow each other without gaps and repetitions", async () => {
    const seen: string[] = [];
    for (let cursor = "", pages = 0; pages < 5; pages++) {
      const { body } = await ask(`/api/v1/proxies?limit=1&cursor=${encodeURIComponent(cursor)}`);
      const page = JSON.parse(body) as { items: { namespace: string }[]; next?: string };
      append(
        seen,
        page.items.map(({ namespace }) => namespace),
      );
      if (page.next === undefined) break;
      cursor = page.next;
    }
    expect(seen).toEqual(["aaa", "bbb"]);
  });

  test("filters count what the other filters leave", async () => {
    const { body } = await ask("/api/v1/proxies?state=rejecting");
    expect(JSON.parse(body)).toMatchObject({
      total: 1,
      items: [{ namespace: "bbb", state: "rejecting" }],
      facets: { namespace: [{ value: "bbb", count: 1 }], state: [{ count: 1 }, { count: 1 }] },
    });
  });
});

function open(token: string) {
  return ask("/api/v1/session", { method: "POST", headers: remote, body: JSON.stringify({ token }) });
}

describe("a session", () => {
  test("stands for the entered token until it is closed, in a cookie that scripts cannot read", async () => {
    const { status, headers, body } = await open("token-operators");
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ viewer: { type: "operator" }, by: "session" });
    const cookie = headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/api\/v1; Max-Age=28800$/u);
    const own = { ...remote, cookie: cookie.split(";")[0] ?? "" };
    expect((await ask("/api/v1/overview", { headers: own })).status).toBe(200);
    await ask("/api/v1/session", { method: "DELETE", headers: own });
    expect((await ask("/api/v1/overview", { headers: own })).status).toBe(401);
  });

  test("of a workload sees its namespace", async () => {
    const cookie = (await open("token-aaa")).headers.get("set-cookie")?.split(";")[0] ?? "";
    const { body } = await ask("/api/v1/session", { headers: { ...remote, cookie } });
    expect(JSON.parse(body)).toMatchObject({ viewer: { type: "workload", namespace: "aaa" }, by: "session" });
  });

  test("ends after eight hours", async () => {
    const cookie = (await open("token-aaa")).headers.get("set-cookie")?.split(";")[0] ?? "";
    clock.advance(8 * 60 * 60 * 1_000);
    expect((await ask("/api/v1/overview", { headers: { ...remote, cookie } })).status).toBe(401);
  });

  test.each(["{}", "[]", "nonsense", '{"token": ""}'])("is not opened by %s", async (body) => {
    expect((await ask("/api/v1/session", { method: "POST", headers: remote, body })).status).toBe(400);
  });

  test("is not opened by a wrong token", async () => {
    expect((await open("wrong")).status).toBe(401);
  });

  test("is not opened by a wrong token on the server's machine either", async () => {
    const body = JSON.stringify({ token: "wrong" });
    expect((await ask("/api/v1/session", { method: "POST", body })).status).toBe(401);
  });

  test("local clients need none", async () => {
    expect(JSON.parse((await ask("/api/v1/session")).body)).toMatchObject({ by: "local" });
  });
});

async function levelOfMcp(): Promise<string | undefined> {
  const { body } = await ask("/api/v1/control-plane");
  return /"name":"mcp"[^}]*"level":"(\w+)"/u.exec(body)?.[1];
}

function putLevel(headers: Record<string, string>, level: string) {
  const body = JSON.stringify({ scope: "mcp", level });
  return ask("/api/v1/control-plane/log-level", { method: "PUT", headers, body });
}

describe("a change of the log level", () => {
  test.each([
    ["a client on this machine without a token", {}, 403],
    ["a client on this machine with a wrong token", { authorization: "Bearer wrong" }, 403],
    ["a client on this machine with the token of a workload", { authorization: "Bearer token-aaa" }, 403],
    ["a remote client without a token", remote, 401],
    ["a remote client with the token of a workload", { ...remote, authorization: "Bearer token-aaa" }, 403],
    ["a page of another site", { authorization: "Bearer token-operators", origin: "http://evil.example" }, 403],
  ])("is refused to %s", async (_, headers, status) => {
    const before = await levelOfMcp();
    expect((await putLevel(headers, before === "debug" ? "warn" : "debug")).status).toBe(status);
    expect(await levelOfMcp()).toBe(before);
  });

  test.each([
    ["error", "on this machine", {}],
    ["warn", "elsewhere", remote],
  ])("to %s succeeds with a token of an operator %s", async (wanted, _, from) => {
    expect((await putLevel({ ...from, authorization: "Bearer token-operators" }, wanted)).status).toBe(200);
    expect(await levelOfMcp()).toBe(wanted);
  });

  test("succeeds with a session of an operator on this machine, which says that it may", async () => {
    const body = JSON.stringify({ token: "token-operators" });
    const { headers } = await ask("/api/v1/session", { method: "POST", body });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    const session = JSON.parse((await ask("/api/v1/session", { headers: { cookie } })).body);
    expect(session).toMatchObject({ by: "session", viewer: { type: "operator", mayChange: true } });
    expect((await putLevel({ cookie }, "silent")).status).toBe(200);
    expect(JSON.parse((await ask("/api/v1/session")).body)).toMatchObject({ viewer: { mayChange: false } });
  });
});

test("a reader of events begins with a reset, and its stream ends with the request", async () => {
  const abort = new AbortController();
  const response = await fetch(`${base}/api/v1/events`, { signal: abort.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = response.body?.getReader();
  let read = "";
  for (let chunks = 0; chunks < 5 && !read.includes("event: reset"); chunks++) {
    read += Buffer.from((await reader?.read())?.value ?? []).toString();
  }
  expect(read).toContain("event: reset");
  abort.abort();
});
