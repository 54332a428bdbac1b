import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { eventually } from "../../../src/testing/eventually.ts";

/** A command in a pseudo terminal, made by `script` of util-linux. */
export class Pty implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly exited: Promise<number | string>;
  #output = "";

  constructor([command = "", ...args]: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const line = [command, ...args].map((word) => `'${word}'`).join(" ");
    // Node shows no colours in a terminal of CI.
    const { NO_COLOR: _none, FORCE_COLOR: _force, CI: _ci, ...env } = process.env;
    this.#process = spawn("/usr/bin/script", ["--quiet", "--flush", "--return", "--command", line, "/dev/null"], {
      env: { ...env, TERM: "xterm-256color", ...environment },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
    this.#process.stdin?.on("error", () => {});
    this.exited = once(this.#process, "close").then(([code, signal]) => code ?? signal);
  }

  /** Everything that was written to the terminal. */
  output(): string {
    return this.#output;
  }

  /** The lines of the last whole frame that `top` drew, without colours. */
  frame(): readonly string[] {
    const frames = this.#output.split("\u001B[H").filter((frame) => frame.includes("\u001B[J"));
    const [last = ""] = (frames.at(-1) ?? "").split("\u001B[J");
    // oxlint-disable-next-line no-control-regex -- sequences begin with an escape
    return last.split(/\r*\n/u).map((line) => line.replaceAll(/\u001B\[[\d;?]*[A-Za-z]/gu, ""));
  }

  /** The text after the last occurrence of these words. */
  after(words: string): string {
    return this.#output.slice(this.#output.lastIndexOf(words) + words.length);
  }

  type(keys: string): void {
    this.#process.stdin?.write(keys);
  }

  async shows(pattern: RegExp): Promise<void> {
    await eventually(`a frame like ${pattern}`, () => pattern.test(this.frame().join("\n")), { seconds: 30 }).catch(
      (cause: unknown) => {
        throw new Error(`no frame like ${pattern} in:\n${this.frame().join("\n")}`, { cause });
      },
    );
  }

  /** Sends a signal to the process in the terminal whose command line has these words. */
  signal(signal: NodeJS.Signals, words: string): void {
    const pid = this.#descendants(this.#process.pid ?? 0).find(
      (each) => commandOf(each).startsWith(process.execPath) && commandOf(each).includes(words),
    );
    if (pid === undefined) throw new Error(`no process has ${words} in its command line`);
    process.kill(pid, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.exited.catch(() => undefined);
  }

  #descendants(pid: number): readonly number[] {
    const children = globSync("/proc/[0-9]*/stat").flatMap((file) => {
      const [, own = "", parent = ""] = /^(\d+) \(.*\) \S (\d+)/u.exec(readIfThere(file)) ?? [];
      return Number(parent) === pid ? [Number(own)] : [];
    });
    return [...children, ...children.flatMap((child) => this.#descendants(child))];
  }
}

function commandOf(pid: number): string {
  return readIfThere(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

/** Processes come and go. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
