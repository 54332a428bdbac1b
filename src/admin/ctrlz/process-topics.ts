import { getHeapStatistics } from "node:v8";
import { compareTexts } from "../../lib/compare.ts";
import { facts, html } from "./html.ts";
import { maskedArguments, maskedUnlessPlain } from "./mask.ts";
import type { Topic } from "./topic.ts";

/** The shown parts of the process: `process` itself, or a substitute in tests. */
export type ShownProcess = Pick<NodeJS.Process, "argv" | "env">;

/** Memory, environment, process, arguments and version. */
export function processTopics(shown: ShownProcess, version: string): readonly Topic[] {
  return [
    factsTopic({ prefix: "mem", title: "Memory", doc: "memory of the process, in bytes" }, memory),
    factsTopic({ prefix: "env", title: "Environment", doc: "the environment; secrets are masked" }, () =>
      environmentOf(shown.env),
    ),
    factsTopic({ prefix: "proc", title: "Process", doc: "the process and its open handles" }, processFacts),
    argumentsTopic(shown.argv),
    factsTopic({ prefix: "version", title: "Version", doc: "name and version of the program" }, () =>
      versionFacts(version),
    ),
  ];
}

type Values = Readonly<Record<string, string | number | boolean>>;

function factsTopic(about: Pick<Topic, "prefix" | "title" | "doc">, values: () => Values): Topic {
  return { ...about, data: values, body: () => facts(values()) };
}

function memory(): Values {
  const { heap_size_limit, total_available_size, malloced_memory } = getHeapStatistics();
  return { ...process.memoryUsage(), heap_size_limit, total_available_size, malloced_memory };
}

function environmentOf(env: NodeJS.ProcessEnv): Values {
  const shown = Object.entries(env).map(([name, value = ""]) => [name, maskedUnlessPlain(name, value)] as const);
  return Object.fromEntries(shown.toSorted(([a], [b]) => compareTexts(a, b)));
}

function processFacts(): Values {
  const { user, system } = process.cpuUsage();
  const open = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  return {
    pid: process.pid,
    directory: process.cwd(),
    platform: `${process.platform} ${process.arch}`,
    uptimeSeconds: Math.round(process.uptime()),
    userCpuSeconds: user / 1e6,
    systemCpuSeconds: system / 1e6,
    ...Object.fromEntries(Array.from(open, ([kind, members]) => [`open ${kind}`, members.length])),
  };
}

function argumentsTopic(argv: readonly string[]): Topic {
  const shown = () => maskedArguments(argv);
  return {
    prefix: "arg",
    title: "Arguments",
    doc: "the command line; secrets are masked",
    data: shown,
    body: () => html`<ol>${shown().map((argument) => html`<li><code>${argument}</code></li>`)}</ol>`,
  };
}

function versionFacts(version: string): Values {
  return { name: "binnacle", version, node: process.versions.node, v8: process.versions.v8 };
}
