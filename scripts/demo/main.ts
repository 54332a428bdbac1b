import { ExitCode, exitCodeOf } from "../../src/cli/command.ts";
import { MeshError } from "../../src/index.ts";
import { PeerUnavailable } from "../peer.ts";
import { type DemoArguments, readDemoArguments } from "./arguments.ts";
import { PlainDisplay } from "./display/plain-display.ts";
import { Screen } from "./display/screen.ts";
import { farewell } from "./display/sentences.ts";
import { EndOfDemo } from "./end-of-demo.ts";
import { runDemo } from "./run.ts";

/** The exit code: what was in the way becomes one sentence, a bug keeps its stack. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    await play(readDemoArguments(args));
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof PeerUnavailable || thrown instanceof MeshError)) throw thrown;
    process.stderr.write(`demo: ${sentenceOf(thrown)}\n`);
    return thrown instanceof MeshError ? exitCodeOf(thrown.code) : ExitCode.problem;
  }
}

function sentenceOf(error: PeerUnavailable | MeshError): string {
  if (error instanceof MeshError) return error.message;
  return `there is no Envoy for this machine: ${error.message}\nnpm run demo does without one.`;
}

/** On a terminal as a screen, else line by line. */
async function play({ directory, edition, afterMs }: DemoArguments): Promise<void> {
  await edition.prepare();
  const { stdin, stdout } = process;
  const draws = stdout.isTTY && process.env["TERM"] !== "dumb";
  {
    using ending = new EndOfDemo({ input: draws && stdin.isTTY ? stdin : undefined, output: stdout, afterMs });
    using display = draws ? new Screen(stdout) : new PlainDisplay((line) => void stdout.write(`${line}\n`));
    await runDemo({ edition, directory, display, signal: ending.signal });
  }
  if (draws) stdout.write(`${farewell(directory)}\n`);
}
