import { curatorLayout } from "../../../src/galley/source/zookeeper/curator/curator-layout.ts";
import { dubboLayout } from "../../../src/galley/source/zookeeper/dubbo/dubbo-layout.ts";
import type { ServiceSettings } from "../../../src/galley/source/zookeeper/layout.ts";
import { checkRegistry } from "../registry-oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const settings: ServiceSettings = {
  namespace: "zk",
  hostSuffix: ".zk",
  protocol: "HTTP",
  port: 0,
  instancePort: true,
  ignoredLabels: ["pid"],
};
const dubbo = { ...settings, schemes: ["dubbo", "tri"] };
const layouts = [
  curatorLayout(settings),
  dubboLayout({ ...dubbo, naming: "key" }),
  dubboLayout({ ...dubbo, naming: "dns" }),
];

/** Names and data of ZooKeeper's nodes: the first line is a folder, and each other line is `NODE DATA` below it. */
export const target: FuzzTarget = {
  name: "zookeeper",
  mode: "sync",
  words: [
    ...inheritedNames,
    "dubbo%3A%2F%2F10.0.0.1%3A20880%2Fa%3F",
    "tri://[fd00::1]:50051/a?",
    "interface=",
    "&version=",
    "&group=",
    "&methods=a,b",
    "&aeraki_meta_app_namespace=",
    "&aeraki_meta_workload_selector=",
    "&aeraki_meta_locality=",
    '"address":"10.0.0.1","port":8080',
    '"payload":{"metadata":{"instance_status":"UP"}}',
  ],
  planted: {
    file: "src/galley/source/zookeeper/curator/curator-instance.ts",
    before: "  const ports = [...portOf(port, protocol)",
    text: "text",
  },
  check: (input) => {
    const [folder = "", ...lines] = input.toString("utf8").split("\n");
    const path = folder.split("/").filter((name) => name !== "");
    const members = new Map(lines.map((line) => [line.split(" ", 1)[0] ?? "", line.slice(line.indexOf(" ") + 1)]));
    for (const layout of layouts) {
      layout.roleOf(path);
      layout.listedAt(path);
      const documents = [...members].filter(([, text]) => !layout.isFolder(text));
      const read = layout.openFolder(path, `/registry/${path.join("/")}`);
      checkRegistry(new Map([["part", read(new Map(documents))]]));
    }
  },
};
