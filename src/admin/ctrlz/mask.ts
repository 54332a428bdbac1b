const secretWords = /pass|pwd$|secret|token|credential|auth|cookie|private|key|signature|session|headers/i;
const secretValues = /:\/\/[^/@\s]*:[^/@\s]*@|-----BEGIN|^(?:Bearer|Basic)\s|^eyJ[\w-]+\./i;

/** The replacement for a hidden value. */
const masked = "•••";

/** The value, unless its name or the value itself looks like a secret. In doubt the value is masked. */
export function maskedUnlessPlain(name: string, value: string): string {
  return secretWords.test(name) || secretValues.test(value) ? masked : value;
}

/** The same for a command line: `--name=value`, and `--name value` in two. */
export function maskedArguments(args: readonly string[]): readonly string[] {
  return args.map((argument, index) => {
    const before = args[index - 1] ?? "";
    const ofFlag = before.startsWith("-") && !before.includes("=") && !argument.startsWith("-");
    const [name = "", ...rest] = argument.split("=");
    if (argument.startsWith("-") && rest.length > 0) return `${name}=${maskedUnlessPlain(name, rest.join("="))}`;
    return maskedUnlessPlain(ofFlag ? before : "", argument);
  });
}
