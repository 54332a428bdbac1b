import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { Etcd } from "./support/registry/etcd.ts";

const describeWithEtcd = await describeWith("kube");
const soon = { seconds: 30 };
const route = (timeout: string) => `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: reviews, namespace: shop }
spec:
  hosts: [reviews.example.com]
  http:
    - timeout: ${timeout}
      route: [{ destination: { host: reviews.example.com } }]
`;

describeWithEtcd("a history in etcd", () => {
  test("is read by the command, and goes on after kill -9 of the server and of etcd", async () => {
    await using etcd = await Etcd.start();
    using dir = new MeshDir({ "route.yaml": route("1s") });
    const history = ["--history", etcd.url("mesh-history")];
    const ask = async (...args: readonly string[]) => await runCommand(["history", ...args, ...history]);
    const serve = async () => {
      const server = await startBinnacle({ dir: dir.path, args: history });
      onTestFinished(() => server.stop());
      return server;
    };
    const newest = async (moment: number) =>
      await eventually(
        `moment ${moment} is in the history`,
        async () => (await ask("list")).stdout.includes(`\n${moment} `),
        soon,
      );
    const first = await serve();
    await newest(1);
    dir.write("route.yaml", route("2s"));
    await newest(2);
    await etcd.kill();
    dir.write("route.yaml", route("3s"));
    await first.logged("history is not written");
    await etcd.restart();
    await newest(3);
    first.kill("SIGKILL");
    dir.write("route.yaml", route("4s"));
    await serve();
    await newest(4);
    const timeouts = await Promise.all(
      ["1", "2", "3", "4"].map(async (moment) => {
        const { stdout } = await ask("at", moment, "show", "vs/shop/reviews");
        return /timeout: (\d)s/u.exec(stdout)?.[1];
      }),
    );
    expect(timeouts).toEqual(["1", "2", "3", "4"]);
  });
});
