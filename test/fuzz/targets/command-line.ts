import { unobservedGalleys } from "../../../src/app/mcp/remote-galleys.ts";
import { readArguments } from "../../../src/app/options/flags.ts";
import { readOptions } from "../../../src/app/options/read-options.ts";
import { sourceMaker } from "../../../src/app/sources/sources.ts";
import { ExitCode } from "../../../src/cli/command.ts";
import { commands } from "../../../src/cli/commands.ts";
import { readFlags } from "../../../src/cli/flags/read-flags.ts";
import { serverFlags } from "../../../src/cli/flags/server-flags.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { runCommand } from "../../../src/testing/recording/run-command.ts";
import { orRefused, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const loaded = await Promise.all(commands.map(async (listed) => ({ ...listed, ...(await listed.load()) })));
const anyNumber = { expected: "anything", atLeast: 0, atMost: Infinity };
/** Commands that read no files and reach no servers. */
const harmless = new Set(["completion", "help", "version"]);

/**
 * Command lines, one argument per line, up to an empty line. The rest is the file of `--config-file`, and the value of
 * each variable. Mistakes are `bad-option`, and an unknown command ends with the code for wrong usage.
 */
export const target: FuzzTarget = {
  name: "command-line",
  mode: "async",
  words: [
    ...inheritedNames,
    "--source\n",
    "zookeeper://a?",
    "eureka+http://",
    "kube:",
    "--config-file\nx\n\n",
    "--drain=",
    "10ms",
    "--help",
    "-o",
    "=json",
    "--",
  ],
  planted: { file: "src/app/options/flags.ts", before: "  // A single dash is a value: stdin.", text: "value" },
  check: async (input) => {
    const [head = "", file = ""] = input.toString("utf8").split("\n\n", 2);
    const [name = "", ...args] = head.split("\n");
    for (const { command } of loaded) {
      const given = orRefused(() => readFlags(args, command.flags, anyNumber));
      for (const flag of command.flags) given?.value(flag.name);
    }
    const env = Object.fromEntries(args.map((arg) => [`BINNACLE_${arg}`, file]));
    const options = orRefused(() =>
      readOptions({ arguments: readArguments(args, serverFlags), env, readFile: () => file }),
    );
    if (options !== undefined) {
      const makeSource = sourceMaker(options, new FakeClock(), unobservedGalleys());
      for (const url of options.sources) orRefused(() => makeSource(url));
    }
    if (commands.some((each) => each.name === name || each.alias === name) && !harmless.has(name)) return;
    const { code, stderr } = await runCommand([name, ...args]);
    promise(Object.values(ExitCode).includes(code), "a command ends with a known code");
    promise(!/^ {4}at /mu.test(stderr), () => `a command shows a stack:\n${stderr}`);
  },
};
