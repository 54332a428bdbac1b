/** One step of a path: a key of a mapping or an index of a list. */
export type PathStep = string | number;

const plainKey = /^[A-Za-z_][\w-]*$/u;

/** Appends a step: `spec` and `hosts` give `spec.hosts`; keys with other characters are quoted: `labels["a/b"]`. */
export function fieldPath(base: string, ...steps: readonly PathStep[]): string {
  return steps.reduce<string>(appendStep, base);
}

/** The path with all of these steps. */
export function pathOf(steps: readonly PathStep[]): string {
  return steps.reduce<string>(appendStep, "");
}

function appendStep(base: string, step: PathStep): string {
  if (typeof step === "number") return `${base}[${step}]`;
  if (!plainKey.test(step)) return `${base}[${JSON.stringify(step)}]`;
  return base === "" ? step : `${base}.${step}`;
}

/** The inverse of {@link fieldPath}. For an invalid path it returns the steps that it could parse. */
export function pathSteps(path: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  const step = /\.?(?<key>[A-Za-z_][\w-]*)|\[(?<index>\d+)\]|\[(?<quoted>"(?:[^"\\]|\\.)*")\]/uy;
  for (let match = step.exec(path); match !== null; match = step.exec(path)) {
    const { key, index, quoted } = match.groups ?? {};
    if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(JSON.parse(quoted) as string);
    else if (key !== undefined) steps.push(key);
  }
  return steps;
}
