import { optionRows } from "../app/options/options.ts";
import { cutText } from "../lib/cut-text.ts";
import { didYouMean } from "../lib/did-you-mean.ts";

const prefix = "BINNACLE_";

/** Variables that are not settings: the store of commands, and variables of tests and scripts. */
const others = ["STORE", "CACHE", "FUZZ", "SEED", "SEED_IS_RANDOM", "SERVICES", "WHOLE"].map(
  (name) => `${prefix}${name}`,
);

/** Variables that Kubernetes adds to every pod for a Service named binnacle or binnacle-something. */
const injected = /^BINNACLE_(?:[A-Z0-9_]+_)?(?:SERVICE_|PORT(?:_|$))/u;

const maxShown = 80;

/** A sentence for each variable that looks like a Binnacle setting but is not one. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = [...optionRows.flatMap(([, option]) => option.env), ...others];
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith(prefix) && !known.includes(name) && !injected.test(name),
  );
  return unknown.map((name) => {
    const near = didYouMean(
      name.slice(prefix.length),
      known.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length)),
    );
    const hint = near === undefined ? "it has no effect" : `did you mean ${prefix}${near}?`;
    return `warning: the environment variable ${cutText(name, maxShown)} is not a setting; ${hint}`;
  });
}
