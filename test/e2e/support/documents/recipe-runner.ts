import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { eventually } from "../../../../src/testing/eventually.ts";
import { main, root } from "../checkout.ts";
import { Child } from "../child.ts";
import { firstMissing, type Step } from "./recipe.ts";

const bound = { seconds: 60 };

/** Executables that a document may name, with their paths. */
export type Commands = Readonly<Record<string, string>>;

export interface RecipeOptions {
  /** Default: the runner's own folder. */
  readonly cwd?: string;
  /** The command line that starts `bash` in the network of the document. Default: a network of its own. */
  readonly shell?: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Follows the steps of a document in its own folder and, where the system allows, its own network namespace. So fixed
 * ports are free. `binnacle` is the command line of this checkout.
 */
export class RecipeRunner implements AsyncDisposable {
  /** Where the steps run, unless `cwd` is set. */
  readonly folder = mkdtempSync(join(tmpdir(), "binnacle-recipe-"));
  readonly #shell: Child;
  #steps = 0;

  constructor(commands: Commands, { cwd, shell, env: more }: RecipeOptions = {}) {
    const bin = join(this.folder, ".bin");
    mkdirSync(bin);
    // Packages that a document installs with `npm install` are there: the checkout's own packages.
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
    symlinkSync(join(root, "deploy"), join(this.folder, "deploy"));
    for (const [name, path] of Object.entries(commands)) symlinkSync(path, join(bin, name));
    writeFileSync(join(bin, "binnacle"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
    const path = [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter);
    const env = { ...process.env, PATH: path, NO_PROXY: "*", no_proxy: "*", ...more };
    const [command, ...args] = shell ?? ownNetwork();
    this.#shell = new Child(command, args, { cwd: cwd ?? this.folder, env, group: true, listens: true });
    if (shell === undefined && args.length > 0) this.#shell.say("ip link set lo up");
  }

  /** Resolves to the number of steps, when all are done. */
  async follow(steps: readonly Step[]): Promise<number> {
    for (const step of steps) await this.#do(step);
    return steps.length;
  }

  async #do(step: Step): Promise<void> {
    if (step.type === "write") return this.#write(step.path, step.content);
    if (step.type === "terminal") return this.#start(step.script, step.output);
    const attempt = async () => {
      const missing = await this.#run(step.script, step.output);
      if (missing !== undefined) throw new Error(missing);
      return true;
    };
    await (step.eventually ? eventually(`line ${step.line} of the document`, attempt, bound) : attempt());
  }

  #write(path: string, content: string): void {
    const target = join(this.folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }

  /** The mistake in the result of the script. Undefined when the result is as expected. */
  async #run(script: string, expected: readonly string[]): Promise<string | undefined> {
    const { name, log } = this.#next();
    this.#shell.say(`{ ${script}\n} > ${log} 2>&1 < /dev/null; echo ${name} ended with $?`);
    const [, code] = await this.#shell.line(new RegExp(`^${name} ended with (\\d+)$`, "u"), bound);
    const output = readFileSync(log, "utf8");
    if (code !== "0") return `${script}ended with ${code}:\n${output}`;
    const missing = firstMissing(expected, output);
    return missing === undefined ? undefined : `${script}did not print ${JSON.stringify(missing)} but:\n${output}`;
  }

  async #start(script: string, expected: readonly string[]): Promise<void> {
    const { log } = this.#next();
    this.#shell.say(`( ${script}\n) > ${log} 2>&1 < /dev/null &`);
    const printed = () => firstMissing(expected, readFileSync(log, "utf8")) === undefined;
    await eventually(`${script}prints ${expected.join("\n")}`, printed, bound).catch((cause: unknown) => {
      throw new Error(`${script}printed only:\n${readFileSync(log, "utf8")}`, { cause });
    });
  }

  #next(): { readonly name: string; readonly log: string } {
    const name = `step-${++this.#steps}`;
    return { name, log: join(this.folder, `.${name}.log`) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shell.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A shell with its own loopback. Without namespaces, a shell that shares ours. */
function ownNetwork(): readonly [string, ...string[]] {
  const possible = spawnSync("unshare", ["-rn", "ip", "link", "set", "lo", "up"]).status === 0;
  return possible ? ["unshare", "-rn", "bash"] : ["bash"];
}
