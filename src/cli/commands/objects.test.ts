import { describe, expect, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";

const store = ["--store", "etcd://127.0.0.1:1/mesh"];

describe("commands for objects in a store", () => {
  test.each([
    [["apply", "mesh.yaml"], "--store is missing"],
    [["apply", ...store], "expected FILE… or DIR…, found none"],
    [["apply", "mesh.yaml", "--store", "zookeeper://one/dubbo"], "--store zookeeper://one/dubbo: expected etcd://"],
    [["get", ...store], "expected KIND, or KIND NAME"],
    [["get", "VirtualSevice", ...store], "did you mean VirtualService?"],
    [["get", "vs", "--store", "etcd://one"], "--store etcd://one: expected etcd://HOST:PORT[,HOST:PORT]/PREFIX"],
    [["delete", "vs", ...store], "expected KIND NAME…, or -f FILE, found vs"],
    [["delete", "vs", "reviews", "-f", "mesh.yaml", ...store], "expected KIND NAME…, or -f FILE, found vs reviews"],
    [["describe", "vs"], "expected KIND NAME, found vs"],
  ])("reject %j: %s", async (args, problem) => {
    const { code, stderr } = await runCommand(args, { input: "" });
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  test("report an unreachable store with the reason", async () => {
    const { code, stderr } = await runCommand(["get", "vs", ...store]);
    expect([code, stderr]).toEqual([1, "binnacle get: etcd cannot be reached: connect ECONNREFUSED 127.0.0.1:1"]);
  });

  test("also read the store from the environment", async () => {
    const { code } = await runCommand(["get", "vs"], { env: { BINNACLE_STORE: "etcd://127.0.0.1:1/mesh" } });
    expect(code).toBe(1);
  });
});
