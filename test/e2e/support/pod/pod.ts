import { join } from "node:path";
import { eventually } from "../../../../src/testing/eventually.ts";
import { Child, type ChildOptions } from "../child.ts";
import type { CallReply, Dial, Question } from "./client.ts";
import { PodFiles } from "./pod-files.ts";
import type { ServerPlan } from "./servers.ts";

/** As in Istio's image; its `iptables` is at a place of its own here. */
const imagePath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/iptables/iptables";

/** A network namespace, with files of its own for processes that ask for them. Ends its processes with itself. */
export class Pod implements AsyncDisposable {
  readonly name: string;
  readonly address: string;
  readonly files = new PodFiles();
  readonly #namespace: string;
  readonly #processes: Child[] = [];
  #client: Child | undefined;
  #calls = 0;

  constructor(name: string, address: string, namespace: string) {
    this.name = name;
    this.address = address;
    this.#namespace = namespace;
  }

  /** A command line that runs the command in the pod's network. */
  inside(command: string, args: readonly string[] = []): readonly [string, ...string[]] {
    return ["ip", "netns", "exec", this.#namespace, command, ...args];
  }

  /** Starts a process that shares the files of this machine. */
  start(command: string, args: readonly string[], options: ChildOptions = {}): Child {
    const [first, ...rest] = this.inside(command, args);
    const child = new Child(first, rest, { ...options, group: true });
    this.#processes.push(child);
    return child;
  }

  /** Starts a process whose root directory is that of the pod's files. */
  async startContained(command: readonly string[], { user, group = user, env, writable }: Contained): Promise<Child> {
    const [shell, ...args] = await this.files.contained(command, { user: `${user}:${group}`, writable });
    return this.start(shell, args, { env: { PATH: imagePath, ...env } });
  }

  /** Servers that the client of any pod can call, in one process. */
  async serve(...plans: readonly ServerPlan[]): Promise<Child> {
    const script = join(import.meta.dirname, "servers.ts");
    const servers = this.start(process.execPath, [script, JSON.stringify(plans)]);
    await servers.line(/^ready$/u, { seconds: 30 });
    return servers;
  }

  /** Makes a call from this pod. Calls of one pod follow each other. */
  async call(dial: Dial | Question): Promise<CallReply> {
    const script = join(import.meta.dirname, "client.ts");
    this.#client ??= this.start(process.execPath, [script], { listens: true });
    const client = this.#client;
    const answered = ++this.#calls;
    client.say(JSON.stringify(dial));
    const reply = () => client.log().split("\n").filter(Boolean)[answered - 1];
    return JSON.parse(await eventually("an answer of the client", reply, { seconds: 10 })) as CallReply;
  }

  /** The body of a page at a port of this pod's loopback interface. Fails unless the status is 200. */
  async page(port: number, path: string): Promise<string> {
    const reply = await this.call({ address: "127.0.0.1", port, protocol: "http", host: "localhost", path });
    if ("failed" in reply) throw new Error(`${path} failed: ${reply.failed}`);
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.body}`);
    return reply.body;
  }

  /** Ends all processes at once, and those that they started: an agent that may end in peace drains for seconds. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#processes) child.kill("SIGKILL");
    await Promise.allSettled(this.#processes.map((child) => child.exited));
    this.files[Symbol.dispose]();
  }
}

/** How a process runs with the files of its pod. */
export interface Contained {
  readonly user: number;
  /** Default: the same number as the user. */
  readonly group?: number;
  readonly env: Readonly<Record<string, string>>;
  /** The only folders that it may write to. Default: all folders of its user. */
  readonly writable?: readonly string[];
}
