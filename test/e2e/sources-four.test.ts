import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Chapter, Ending } from "./sources/four-sources-story.ts";
import { describeWithNetwork } from "./support/peers.ts";

const describeWithAll = await describeWithNetwork("kube", "zookeeper", "eureka", "envoy");
const story = resolve(import.meta.dirname, "sources/four-sources-story.ts");

describeWithAll("a mesh from files, Kubernetes, ZooKeeper and Eureka at once", () => {
  test("is called by a real Envoy, follows each source, and keeps the objects of lost sources", async () => {
    const inside = ["-rn", process.execPath, story];
    const { stdout } = await promisify(execFile)("unshare", inside, { timeout: 290_000 });
    const told = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Chapter | Ending);
    const two = {
      file: ["file-2"],
      kube: ["kube-1", "kube-2"],
      zookeeper: ["zookeeper-1", "zookeeper-2"],
      eureka: ["eureka-1", "eureka-2"],
    };
    expect(told).toEqual([
      {
        chapter: "one workload of each",
        answered: { file: ["file-1"], kube: ["kube-1"], zookeeper: ["zookeeper-1"], eureka: ["eureka-1"] },
      },
      { chapter: "one more of each", answered: two },
      { chapter: "while all registries are away", answered: { ...two, file: ["file-1"] } },
      { troubles: [] },
    ]);
  }, 300_000);
});
