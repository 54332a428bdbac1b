import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { smallShop } from "../../testing/mesh/small-shop.ts";
import { runCommand } from "../../testing/recording/run-command.ts";

const gateway = ["--from", "router~gw-0.istio-system"];
const shop = "http://shop.example.com:8080";

function explainShop(...args: readonly string[]) {
  return runCommand(["explain", "-", ...gateway, ...args], { input: smallShop });
}

async function outcomeOf(...args: readonly string[]) {
  const { code, stdout } = await explainShop(...args, "-o", "json");
  return { code, ...JSON.parse(stdout).outcome };
}

describe("explain", () => {
  test("shows where a request goes, with the file and line behind each step", async () => {
    const { code, stdout, stderr } = await explainShop("GET", `${shop}/reviews`);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("outbound|9080|v1|reviews.shop.svc.cluster.local");
    expect(stdout).toContain("VirtualService shop/shop (<stdin>:31)");
    expect(stdout).toContain("DestinationRule shop/reviews (<stdin>:22)");
    expect(stdout).toContain("10.0.0.2:9080");
  });

  test("follows headers, paths and methods", async () => {
    const tester = await outcomeOf(`${shop}/`, "-H", "end-user: jason");
    expect(tester).toMatchObject({
      code: 0,
      type: "forwarded",
      targets: [{ cluster: "outbound|9080|v2|reviews.shop.svc.cluster.local", share: 1 }],
    });
    expect(await outcomeOf("POST", `${shop}/old/page`)).toMatchObject({
      code: 0,
      type: "redirect",
      location: expect.stringMatching(/\/new$/u),
    });
    expect(await outcomeOf("http://10.9.9.9:8080/reviews", "-H", "host: shop.example.com")).toMatchObject({
      code: 0,
      type: "forwarded",
    });
  });

  test.each([
    [`${shop}/nothing`, 404],
    ["http://elsewhere.example.com:8080/reviews", 404],
    ["http://shop.example.com:81/reviews", undefined],
  ])("%s is refused, with exit code 1", async (url, status) => {
    const outcome = await outcomeOf(url);
    expect(outcome).toMatchObject({ code: 1, type: "refused" });
    expect(outcome.status).toBe(status);
  });

  test.each([
    [200, 0],
    [301, 0],
    [404, 1],
    [503, 1],
  ])("a direct response %d gives the exit code %d", async (status, expected) => {
    const answering = smallShop.replace(
      "    redirect: {uri: /new}",
      status === 301 ? "    redirect: {uri: /new}" : `    directResponse: {status: ${status}}`,
    );
    const { code } = await runCommand(["explain", "-", ...gateway, `${shop}/old`], { input: answering });
    expect(code).toBe(expected);
  });

  test("a failing share of the requests keeps the exit code 0", async () => {
    const half = smallShop.replace(", labels: {version: v2}", ", labels: {version: v3}");
    const { code, stdout } = await runCommand(["explain", "-", ...gateway, `${shop}/reviews`], { input: half });
    expect(code).toBe(0);
    expect(stdout).toContain("which has no endpoints");
  });

  test("prints data with the reference of every owner", async () => {
    const { stdout } = await explainShop(`${shop}/reviews`, "-o", "yaml");
    const { steps } = parse(stdout);
    expect(steps).toContainEqual(
      expect.objectContaining({
        type: "route",
        name: "everybody",
        owners: [{ id: "VirtualService/shop/shop", reference: "<stdin>:31" }],
      }),
    );
  });

  test("reports invalid objects, and explains with the valid ones", async () => {
    const broken = `${smallShop}---\nkind: Nonsense\n`;
    const { code, stderr } = await runCommand(["explain", "-", ...gateway, `${shop}/reviews`], { input: broken });
    expect(code).toBe(0);
    expect(stderr).toContain("error missing-kind");
  });

  test("names the unreachable server", async () => {
    const { code, stderr } = await runCommand(["explain", "--server", "127.0.0.1:1", ...gateway, shop]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^binnacle explain: --server 127\.0\.0\.1:1: .*/u);
  });

  test.each([
    [["mesh", shop], "--from is missing: name a proxy, such as router~gw-0.istio-system"],
    [["mesh", ...gateway], 'expected a URL such as http://reviews:9080/path, found "mesh"'],
    [[...gateway, "GET", shop], "expected DIR… [METHOD] URL, found no DIR and no --server"],
    [["mesh", ...gateway, "--server", "127.0.0.1:1", shop], "--server: not together with mesh"],
    [["--server", "127.0.0.1:1", shop], "--from is missing: name a proxy, such as router~gw-0.istio-system"],
    [["mesh", ...gateway, shop, "-o", "xml"], '--output: expected text, json or yaml, found "xml"'],
  ])("%j is wrong usage", async (args, sentence) => {
    expect(await runCommand(["explain", ...args])).toEqual({
      code: 2,
      stdout: "",
      stderr: `binnacle explain: ${sentence}`,
    });
  });

  test("--inbound is for sidecars only", async () => {
    const { code, stderr } = await explainShop("--inbound", shop);
    expect(code).toBe(2);
    expect(stderr).toContain("--inbound: only for sidecars");
  });
});
